import { dataDirFlag } from './data-dir-flag.ts'

/** What a command needs to find the same run: the engine and the folder, where they were named. */
export function placeFlags({
  engine,
  ...options
}: {
  readonly engine?: string
  readonly dataDir?: string
}): string {
  return [...(engine === undefined ? [] : [`--engine ${engine}`]), dataDirFlag(options)].join(' ').trim()
}
