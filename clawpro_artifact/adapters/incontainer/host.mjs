// gateway + model socket + control socket -> one confined container.
//
// Starts the OpenClaw gateway and is its only way out: ports on 127.0.0.1 are forwarded to sockets
// of the harness (CLAWPRO_RELAYS: "18080=/path/m.sock 18081=..."). The control socket lets the
// harness ask for a turn or an RPC without a process in the container for each. It holds no key: the
// model's lives in the harness, and the gateway token is worth nothing outside this container.
import { spawn } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import http from 'node:http';

const env = process.env;
const GATEWAY_PORT = Number(env.CLAWPRO_GATEWAY_PORT);
const TOKEN = env.CLAWPRO_GATEWAY_TOKEN;

const forward = (target) => (request, response) => {
  const { url: path, method, headers } = request;
  // No pool: a connection that is shared can be closed under another request's feet.
  const options = { ...target, agent: false, path, method, headers };
  const upstream = http.request(options, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  upstream.on('error', (error) => response.destroy(error));
  response.on('close', () => response.writableFinished || upstream.destroy());
  request.pipe(upstream);
};

// One RPC over the gateway's WebSocket protocol: connect with the token, ask, close.
const rpc = (method, params) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${GATEWAY_PORT}`);
    const timer = setTimeout(() => fail(new Error('no answer in 30 s')), 30_000);
    const end = () => {
      clearTimeout(timer);
      // Node 22 calls onerror again from close().
      socket.onerror = socket.onclose = socket.onmessage = null;
      socket.close();
    };
    const fail = (error) => {
      end();
      reject(error);
    };
    const send = (id, name, values) =>
      socket.send(JSON.stringify({ type: 'req', id, method: name, params: values }));
    const connect = () =>
      send('connect', 'connect', {
        minProtocol: Number(env.CLAWPRO_MIN_PROTOCOL),
        maxProtocol: Number(env.CLAWPRO_MAX_PROTOCOL),
        client: { id: 'gateway-client', version: '1.0.0', platform: 'linux', mode: 'backend' },
        role: 'operator',
        scopes: ['operator.read', 'operator.write', 'operator.admin'],
        caps: [],
        auth: { token: TOKEN },
      });
    socket.onerror = () => fail(new Error('the gateway refused the connection'));
    socket.onclose = (event) => fail(new Error(`closed: ${event.code} ${event.reason}`));
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(data);
      if (frame.type === 'event' && frame.event === 'connect.challenge') return connect();
      if (frame.type !== 'res') return undefined;
      if (!frame.ok) return fail(new Error(JSON.stringify(frame.error)));
      if (frame.id === 'connect') return send('ask', method, params);
      end();
      return resolve(frame.payload);
    };
  });

const control = async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const reply = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  try {
    const { method, params } = JSON.parse(Buffer.concat(chunks).toString());
    reply(200, { payload: await rpc(method, params) });
  } catch (error) {
    reply(502, { error: String(error.message ?? error) });
  }
};

// Proxy clients tunnel plain HTTP too: what comes through is served here like any other request.
// A tunnel for TLS is refused; the harness is told, so that the attempt is on record.
const tunnel = (server, socketPath) => (request, socket, head) => {
  socket.on('error', () => socket.destroy());
  if (!request.url.endsWith(':443')) {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length) socket.unshift(head);
    server.emit('connection', socket);
    return;
  }
  const note = http.request({ socketPath, agent: false, method: 'CONNECT', path: request.url });
  for (const event of ['connect', 'response', 'error']) note.on(event, () => note.destroy());
  note.end();
  socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
};

for (const relay of env.CLAWPRO_RELAYS.split(' ')) {
  const [port, socketPath] = relay.split('=');
  const server = http.createServer(forward({ socketPath }));
  server.on('connect', tunnel(server, socketPath));
  server.listen(Number(port), '127.0.0.1');
}

const toGateway = forward({ host: '127.0.0.1', port: GATEWAY_PORT });
const inbound = http.createServer((request, response) =>
  request.url === '/clawpro/rpc' ? control(request, response) : toGateway(request, response),
);
rmSync(env.CLAWPRO_CONTROL_SOCKET, { force: true });
inbound.listen(env.CLAWPRO_CONTROL_SOCKET, () => chmodSync(env.CLAWPRO_CONTROL_SOCKET, 0o666));

const [program, ...words] = process.argv.slice(2);
const theirs = Object.entries(env).filter(([name]) => !name.startsWith('CLAWPRO_'));
const child = spawn(program, words, { stdio: 'inherit', env: Object.fromEntries(theirs) });
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 128 : code));
