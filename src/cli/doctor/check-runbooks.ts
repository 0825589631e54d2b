import type { Configuration } from '../shared/configuration/read-configuration.ts'
import { type CommandContext, withoutTerminal } from '../shared/context.ts'
import { listOwnRunbooks, shortPath } from '../shared/runbook-files/find-runbook.ts'
import { loadEach } from '../shared/runbook-files/load-runbooks.ts'
import { plainPaint } from '../shared/terminal/paint.ts'
import { countText } from '../shared/terminal/quantity-text.ts'
import { type Check, type DoctorOptions, failedCheck } from './check.ts'
import type { Needs } from './read-needs.ts'

const name = 'runbooks'

/** Loads the runbooks of this folder as `serve` does, which does not start while one of them is invalid. */
export async function checkRunbooks(
  { sandbox = false }: DoctorOptions,
  { invalid }: Configuration,
  { actions, problem }: Needs,
  given: CommandContext,
): Promise<readonly Check[]> {
  if (problem !== undefined) return [failedCheck(name, problem)]
  // Runbooks are checked against the configuration, which has its own check.
  if (invalid) return []
  const context = { ...withoutTerminal(given), errorPaint: plainPaint }
  const files = (await listOwnRunbooks(context.io)).map(({ file }) => file)
  if (files.length === 0) return []
  const { loaded, refused } = await loadEach(files, actions, context, { sandbox, isQuiet: true })
  if (refused.length === 0) return [{ name, status: 'ok', message: countText(loaded.length, 'runbook') }]
  return refused.map(({ file, error: { message, details, hints } }) => {
    const finding = firstError(details)
    return {
      name,
      status: 'fail',
      message: `"opsbook serve" does not start: ${message}${finding === undefined ? '' : `: ${finding}`}`,
      hints:
        hints.length > 0 ? hints : [`"opsbook validate ${shortPath(file, context.io)}" shows all findings`],
    }
  })
}

/** The head line of the first error. Lines of an excerpt are indented, and warnings do not refuse a runbook. */
function firstError(details = ''): string | undefined {
  return details.split('\n').find((line) => /^\S.*:\d+:\d+ error |^\S+ error /.test(line))
}
