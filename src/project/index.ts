/** What a project holds, and the mistakes of those who use it, without a terminal. This file loads nothing: help texts need it. */
export { CommandError, refuseEmpty } from './command-error.ts'
export { type Paint, plainPaint } from './paint.ts'
export { isSandboxName, openSandboxName, sandboxName } from './sandbox-name.ts'
export type { OpenProject, ProjectContext, Surroundings } from './surroundings.ts'
export type { DataDirFlags, EngineFlags } from './text/location-flags.ts'
export { uncheckedCertificates } from './unchecked-certificates.ts'
export { usualAddresses } from './usual-addresses.ts'
