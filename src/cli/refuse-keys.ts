import { CommandError } from './command-error.ts'
import { exitCodes } from './exit-codes.ts'

const keyOption = /^--?(app|api)[-_]?key\b/i
const keyAssignment = /\bapp[-_]?key["']?\s*[=:]/i

/** Refuses an app key on the command line, whatever the command, without repeating it. */
export function refuseKeys(words: readonly string[]): void {
  const found = words.some((word) => keyOption.test(word) || keyAssignment.test(word))
  if (!found) return
  throw new CommandError(
    exitCodes.usage,
    'an app key on the command line is refused: everybody on this machine could read it in the process list, and the shell keeps it in its history',
    {
      hints: [
        'set OPSBOOK_BASE_URL and OPSBOOK_APP_KEY in the environment,',
        'or name the key in opsbook.yaml: "app-key: env:NAME" or "app-key: file:PATH"',
      ],
    },
  )
}
