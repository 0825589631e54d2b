/** The Temporal server of a developer's machine and of the tests: found, downloaded or built, started and ended. */

export { findServer } from './find-server.ts'
export type { ProgramEnd } from './spawn-guarded.ts'
export { type DevServer, type DevServerOptions, findFreePort, startDevServer } from './start-dev-server.ts'
