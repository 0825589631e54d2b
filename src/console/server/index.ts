/** The HTTP side of the console: one listener whose guard lets nobody in without a session. */
export type { OidcAuth } from './auth/oidc.ts'
export type { ProxyAuth } from './auth/proxy.ts'
export { rolesOf } from './auth/roles.ts'
export { createActs } from './create-acts.ts'
export { type Console, type ConsoleOptions, createConsole } from './create-console.ts'
export { createReads } from './create-reads.ts'
export type { ConsoleReads } from './reads.ts'
export type { Login, MakeLogin } from './sessions.ts'
