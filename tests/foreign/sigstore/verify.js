// Verifies a Sigstore bundle with a public key: node verify.js MODULES BUNDLE.json KEY.pem
// Exit 0 and the payload on stdout, or exit 1 and the reason on stderr.
// MODULES is the node_modules folder that `npm ci` made of the lock file beside this script.
const { createPublicKey } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const [modules, bundlePath, keyPath] = process.argv.slice(2);
const { bundleFromJSON } = require(join(modules, '@sigstore', 'bundle'));
const { toSignedEntity, toTrustMaterial, Verifier } = require(join(modules, '@sigstore', 'verify'));

try {
  const bundle = bundleFromJSON(JSON.parse(readFileSync(bundlePath, 'utf8')));
  const root = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
  const trusted = toTrustMaterial(root, () => ({
    publicKey: createPublicKey(readFileSync(keyPath)),
    validFor: () => true,
  }));
  const options = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 };
  new Verifier(trusted, options).verify(toSignedEntity(bundle));
  process.stdout.write(bundle.content.dsseEnvelope.payload);
} catch (error) {
  process.stderr.write(`${error.name}: ${error.message}\n`);
  process.exit(1);
}
