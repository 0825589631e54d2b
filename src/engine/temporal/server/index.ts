/** The Temporal server of a developer's machine and of the tests: found, downloaded or built, started and ended. */
export { type FindServerOptions, findServer } from './find-server.ts'
export {
  type DevServer,
  type DevServerOptions,
  type SearchAttributeKind,
  startDevServer,
} from './start-dev-server.ts'
export type { FoundServer } from './way.ts'
