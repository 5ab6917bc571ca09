/**
 * What the transport uses of undici. Its main file also loads fetch, mocks, caches and WebSockets, three times as much. The
 * paths are not undici's public ones: the lockfile says which version is bundled, and the tests run the bundle.
 */
const Dispatcher = require("undici/lib/dispatcher/dispatcher.js");

Dispatcher.prototype.request = require("undici/lib/api/api-request.js");

exports.Pool = require("undici/lib/dispatcher/pool.js");
