"use strict";

export const refresh = 500;
