import { ConsoleError, type ControlHere } from '../../../console/server/index.ts'
import type { Identity } from '../../../core/events.ts'
import { createMask } from '../../../core/mask/index.ts'
import { answererText } from '../../../core/people/index.ts'
import type { RunState } from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { type Controlled, maskDocument } from '../../../documents/index.ts'
import type { Engine } from '../../../engine/index.ts'
import { CommandError } from '../../../project/index.ts'
import { findRun, learnSecrets } from '../../../project/records/index.ts'
import { refusePause } from '../../pause/index.ts'
import { readWho } from '../../shared/read-who.ts'

/**
 * Sends a control request to the process that executes a run. One that another person has sent since the run was shown
 * refuses it: a second "cancel" aborts the clean-up, and nobody may do that by mistake.
 */
export async function controlHere(
  run: RunState,
  { kind, shown, comment }: ControlHere,
  by: Identity,
  engine: Engine,
): Promise<Controlled> {
  const { run_id, control_requests } = run
  const { by: _, ...said } = readWho(comment === undefined ? {} : { comment })
  try {
    if (control_requests.length !== shown) throw sentSince(run)
    if (kind === 'pause' || kind === 'unpause') refusePause(kind, run)
    if (await engine.requestControl(run_id, { kind, by, ...said })) return { run_id, kind, by }
    throw new CommandError('usage', `${run_id} is ${run.status}: no process executes it`, {
      hints: [kind.startsWith('cancel') ? `"opsbook cancel ${run_id}" cancels it in a terminal` : ''],
    })
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw await refusal(error, run_id, engine)
  }
}

function sentSince({ run_id, control_requests }: RunState): CommandError {
  const last = control_requests.at(-1)
  const what = last === undefined ? '' : `: "${last.kind}" by ${answererText(last.by)}`
  return new CommandError('usage', `${run_id} was sent another request since it was shown${what}`)
}

function isRefusal(error: unknown): error is CommandError | RunbookError {
  return error instanceof CommandError || (RunbookError.is(error) && error.code === 'InvalidInput')
}

/** The refusal, with where the run stands now. */
async function refusal(
  error: CommandError | RunbookError,
  runId: string,
  engine: Engine,
): Promise<ConsoleError> {
  const run = await findRun(runId, engine, { isWithoutSteps: true })
  const mask = createMask()
  await learnSecrets(run, engine, mask)
  const { status, control_requests } = run
  const hint = error instanceof CommandError ? error.hints.join('\n') : (error.next ?? '')
  return new ConsoleError({
    status: 409,
    code: 'InvalidInput',
    detail: mask.text(error.message),
    hint,
    more: {
      run: maskDocument(mask, { run_id: runId, status, control_requests }),
    },
  })
}
