import type { RecordedStatus, RunRecord, RunState } from '../../core/record/index.ts'
import { nearest } from '../../core/text/index.ts'
import type { Engine } from '../../engine/index.ts'
import { CommandError, refuseEmpty } from '../command-error.ts'

/** The number of newest runs that are searched for the start of an id. */
const lookedThrough = 10_000
const named = 3

/** Finds a run by its id, the start of its id, its key, or `latest`. */
export function findRun(
  given: string,
  engine: Engine,
  part?: Parameters<Engine['readRun']>[1],
): Promise<RunRecord> {
  return find(given, engine, (runId) => engine.readRun(runId, part))
}

/** Refuses `latest` if several runs are candidates: the newest may have started after the user looked. */
export async function refuseVagueLatest(
  given: string,
  engine: Engine,
  status: readonly RecordedStatus[],
): Promise<void> {
  if (given !== 'latest') return
  const runs = await engine.listRuns({ status, limit: lookedThrough })
  if (runs.length < 2) return
  const more = runs.length > named ? [`… and ${runs.length - named} more: opsbook runs`] : []
  throw new CommandError(
    'usage',
    `"latest" could be any of ${runs.length} runs that are ${status.join(' or ')}: use the id of one`,
    { hints: [...runs.slice(0, named).map(({ run_id, runbook }) => `${run_id}  ${runbook}`), ...more] },
  )
}

/** Finds the state of a run, without its whole record. */
export function findRunState(given: string, engine: Engine): Promise<RunState> {
  return find(given, engine, engine.readRunState)
}

async function find<T>(
  given: string,
  engine: Engine,
  read: (runId: string) => Promise<T | undefined>,
): Promise<T> {
  refuseEmpty(given, 'the id of the run')
  const found = (await read(given)) ?? (await read(await findId(given, engine)))
  if (found !== undefined) return found
  throw unknownRun(given, [])
}

async function findId(given: string, engine: Engine): Promise<string> {
  const [latest] = await engine.listRuns({ limit: 1 })
  if (given === 'latest' && latest) return latest.run_id
  const ids = (await engine.listRuns({ limit: lookedThrough })).map(({ run_id }) => run_id)
  const begun = given === '' ? [] : ids.filter((id) => id.startsWith(given) || id.startsWith(`run_${given}`))
  const [only, ...others] = begun
  if (only !== undefined && others.length === 0) return only
  const byKey = await engine.findRunByKey(given)
  if (byKey !== undefined) return byKey
  if (only === undefined) throw unknownRun(given, ids)
  const more = begun.length > named ? ' …' : ''
  throw new CommandError('usage', `${begun.length} runs begin with "${given}"`, {
    hints: [begun.slice(0, named).join(', ') + more],
  })
}

function unknownRun(given: string, ids: readonly string[]): CommandError {
  // Ids differ in their last letters, where they are mistyped; the ids of one day look alike.
  const near = nearest(given, ids)
  const hint = ids.length === 0 ? 'there are no runs yet' : `the newest: ${ids.slice(0, named).join(', ')}`
  return new CommandError('usage', `there is no run "${given}"`, {
    code: 'RunNotFound',
    hints: [near === undefined ? hint : `did you mean "${near}"?`, '"opsbook runs" lists runs'],
  })
}
