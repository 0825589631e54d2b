/** Connections as the configuration names them: their addresses, rules and secrets. */
export {
  type ConfiguredConnection,
  connectionAddressOf,
  connectionScopeOf,
  defaultAddressOf,
  findHttpConnection,
  hasDefaultConnection,
  knownConnections,
  notOfHttp,
  requireConnectionName,
} from './connection.ts'
export { connectionWindowsOf, openHttpConnection } from './http-connection.ts'
export { readHttpRules } from './http-rules.ts'
export { createSecretStore } from './secret-store.ts'
export { actionsFor, requireSandbox, type ServiceChoice, staysInSandbox } from './service-choice.ts'
