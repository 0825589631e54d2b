import { CommandError } from '../command-error.ts'
import type { ResumeFlags } from '../commands/resume.ts'
import { exitCodes } from '../exit-codes.ts'

/** What has no meaning for workers elsewhere. */
const refused = { sandbox: '--sandbox', fromCopy: '--from-copy' } as const

/** Throws where a flag speaks of this machine, of which workers elsewhere know nothing. */
export function refuseLocal(options: Pick<ResumeFlags, keyof typeof refused>): void {
  const given = (Object.keys(refused) as (keyof typeof refused)[]).find((name) => options[name] !== undefined)
  if (given === undefined) return
  throw new CommandError(
    exitCodes.usage,
    `${refused[given]} is for the embedded engine: the workers know nothing of this machine; nothing was changed`,
  )
}
