// Not through the doors of these rooms, which would bring the client along.
import { openRunReader, type RunReader } from '../../engine/embedded/run-reader.ts'
import { CommandError } from '../command-error.ts'
import type { DataDirFlags } from '../commands/options.ts'
import { chooseDataDir } from '../configuration/data-dir.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import type { CommandContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { printableLine } from '../terminal/printable.ts'

/** Opens the record of the chosen data directory for as long as the work takes. There are no runs: the work is not done. */
export async function withRecord<T>(
  context: CommandContext,
  { dataDir: flag }: DataDirFlags,
  work: (reader: RunReader, dataDir: string) => T | Promise<T>,
  otherwise: (dataDir: string) => T = noRuns,
): Promise<T> {
  const dataDir = chooseDataDir(flag, await readConfiguration(context.io), context.io)
  const reader = openRunReader(dataDir)
  if (!reader) return otherwise(dataDir)
  try {
    return await work(reader, dataDir)
  } finally {
    reader.close()
  }
}

function noRuns(dataDir: string): never {
  throw new CommandError(exitCodes.usage, `there are no runs in ${printableLine(dataDir)}`, {
    hints: ['"opsbook run" starts one; --data-dir or OPSBOOK_DATA_DIR names another folder'],
  })
}
