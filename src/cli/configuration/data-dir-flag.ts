import { shellWord } from '../../core/shell-word.ts'
import type { DataDirFlags } from '../commands/options.ts'

/** What a command needs to find the same run: the folder, where one was named. */
export function dataDirFlag({ dataDir }: DataDirFlags): string {
  if (dataDir === undefined) return ''
  return `--data-dir ${shellWord(dataDir)}`
}
