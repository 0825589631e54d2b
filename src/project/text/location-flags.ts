import { shellWord } from '../../core/text/index.ts'

/** The flag of commands that work with the record of runs. */
export interface DataDirFlags {
  readonly dataDir?: string
}

/** The flags of commands that work with runs on any engine. */
export interface EngineFlags extends DataDirFlags {
  readonly engine?: string
}

/** The flags with which another command finds the same run: engine and data directory, if they were given. */
export function locationFlags({ engine, ...options }: EngineFlags): string {
  return [...(engine === undefined ? [] : [`--engine ${engine}`]), dataDirFlag(options)].join(' ').trim()
}

/** The flag with which another command finds the same run: the data directory, if it was given. */
export function dataDirFlag({ dataDir }: DataDirFlags): string {
  if (dataDir === undefined) return ''
  return `--data-dir ${shellWord(dataDir)}`
}
