/** The Temporal server of a developer's machine and of the tests: found or downloaded, started and ended. */

export type { ProgramEnd } from './spawn-guarded.ts'
export { findFreePort, startDevServer } from './start-dev-server.ts'
