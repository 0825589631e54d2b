/** The HTTP side of the console: one listener whose guard lets nobody in without a session. */

export { createActs, type ServedActs } from './acts.ts'
export type { OidcAuth } from './auth/oidc.ts'
export type { ProxyAuth } from './auth/proxy.ts'
export { rolesOf } from './auth/roles.ts'
export { type Console, type ConsoleOptions, createConsole } from './create-console.ts'
export { type ConsoleReads, createReads } from './reads.ts'
export type { Login, MakeLogin } from './sessions.ts'
