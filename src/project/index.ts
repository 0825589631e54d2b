/** What a project holds: its configuration, runbooks, actions and records, and the mistakes of those who use it. No terminal. */
export { CommandError, refuseEmpty } from './command-error.ts'
export { type DataDirFlags, dataDirFlag, type EngineFlags, locationFlags } from './location-flags.ts'
export { type Paint, plainPaint } from './paint.ts'
export { printable, printableLine } from './printable.ts'
export { isSandboxName, openSandboxName, sandboxName } from './sandbox-name.ts'
export type { ProjectContext, Surroundings } from './surroundings.ts'
