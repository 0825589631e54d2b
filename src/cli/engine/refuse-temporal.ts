import type { Engine } from '../../engine/engine.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

/** Refuses what the embedded engine does and the other does not do yet. Nothing has been changed. */
export function refuseTemporal({ kind }: Pick<Engine, 'kind'>, command: string): void {
  if (kind !== 'temporal') return
  throw new CommandError(
    exitCodes.usage,
    `"opsbook ${command}" does not work on Temporal yet; nothing was changed`,
    {
      hints: ['it does for runs of the embedded engine: --engine embedded'],
    },
  )
}
