/**
 * The service on this machine: what a client of the real one can do works here unchanged. It shares nothing with
 * the client but the table of operations, so that a mistake in one shows in the other.
 */
export { sandboxKeys } from './keys.ts'
export type { Sandbox, SandboxOptions } from './settings.ts'
export { startSandbox } from './start-sandbox.ts'
