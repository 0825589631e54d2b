import type { ActionDescription } from '../../core/action.ts'
import { builtinActions } from '../../core/builtins/index.ts'
import { type JsonObject, type JsonValue, mapJson } from '../../core/json.ts'
import type { AttemptRecord, RunRecord } from '../../core/record/index.ts'
import { findLeaks } from './find-leaks.ts'
import { type RecordedCall, type Recording, recordedPlan } from './recording.ts'
import { createRenamer, valuesOfField } from './rename-values.ts'
import { replayInputs } from './replay-inputs.ts'

/** What a recording is made of. */
export interface RecordingSource {
  readonly run: Pick<RunRecord, 'run_id' | 'runbook' | 'started_at' | 'inputs' | 'plan' | 'questions'>
  readonly attempts: Iterable<AttemptRecord>
  readonly actions: readonly ActionDescription[]
  /** Values that must not be in the recording: secrets, sensitive inputs and outputs. */
  readonly hidden: readonly string[]
  /** Names of fields whose values become names. */
  readonly renames: readonly string[]
}

/** A recording as text, and where it still holds what was to be removed. */
export interface MadeRecording {
  readonly recording: Recording
  readonly text: string
  /** Not empty: the recording must not be written. */
  readonly leaks: readonly string[]
  /** The fields to rename that are in no input, argument or result. */
  readonly unknownFields: readonly string[]
}

/** Makes a recording of a run. It is searched for every value that was replaced. */
export async function makeRecording(source: RecordingSource): Promise<MadeRecording> {
  const { run, actions, hidden, renames } = source
  const attempts = [...source.attempts].filter(isRecorded)
  const data = [run.inputs, ...attempts.flatMap(({ output, sent }) => [output ?? null, sent?.input ?? null])]
  const names = new Map<string, string>()
  const unknownFields: string[] = []
  for (const field of renames) {
    const values = new Set(data.flatMap((one) => valuesOfField(one, field)))
    if (values.size === 0) unknownFields.push(field)
    addNames(names, values, field)
  }
  addNames(names, new Set(hidden), 'sensitive')
  // A test gives its runs this id.
  const renamer = createRenamer(new Map([...names, [run.run_id, 'run_1']]))
  const inputs = renamer.value(run.inputs) as JsonObject
  const calls = attempts.map((attempt): RecordedCall => {
    const { output, error } = attempt
    return {
      path: attempt.path,
      attempt: attempt.attempt,
      action: attempt.action,
      ...(output === undefined ? {} : { output: cut(renamer.value(output)) }),
      ...(error
        ? { error: cut(renamer.value(error as unknown as JsonValue)) as unknown as typeof error }
        : {}),
      takes_ms: takenMs(attempt),
    }
  })
  const replayed = await replayInputs({ plan: run.plan, inputs, calls, questions: run.questions, actions })
  const withInputs = calls.map(({ path, attempt, action, ...result }, at): RecordedCall => {
    const input = replayed.get(`${path}#${attempt}`) ?? attempts[at]?.sent?.input
    return {
      path,
      attempt,
      action,
      ...(input ? { input: cut(renamer.value(input)) as JsonObject } : {}),
      ...result,
    }
  })
  const recording: Recording = {
    version: 1,
    runbook: run.runbook,
    started_at: run.started_at,
    ...recordedPlan(run.plan, [...builtinActions, ...actions]),
    inputs: cut(inputs) as JsonObject,
    calls: withInputs,
  }
  const text = `${JSON.stringify(recording, undefined, 2)}\n`
  return { recording, text, leaks: findLeaks(recording, text, [...names.keys()]), unknownFields }
}

/** Only what counts, and has a result; events are given by tests themselves. */
function isRecorded({ action, status, is_superseded: isSuperseded }: AttemptRecord): boolean {
  return status !== 'begun' && !isSuperseded && action !== 'core/listen'
}

function addNames(names: Map<string, string>, values: ReadonlySet<string>, base: string): void {
  let number = 0
  for (const value of values) {
    if (value === '' || names.has(value)) continue
    const name = `${base}-${++number}`
    // What takes an address refuses anything else.
    names.set(value, /^https?:\/\//i.test(value) ? `https://${name}.test/` : name)
  }
}

function takenMs({ started_at: from, ended_at: to, waited_ms: waited = 0 }: AttemptRecord): number {
  return to === undefined ? 0 : Math.max(0, Date.parse(to) - Date.parse(from) - waited)
}

/** Longer texts are cut: bytes in UTF-8. */
const mostBytes = 16 * 1024

function cut(value: JsonValue): JsonValue {
  return mapJson(value, (leaf) => {
    const bytes = Buffer.from(typeof leaf === 'string' ? leaf : '')
    if (bytes.length <= mostBytes) return leaf
    let end = mostBytes
    // A byte inside of a character begins with the bits 10.
    while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
    return `${bytes.subarray(0, end)}… (cut: ${bytes.length} bytes)`
  })
}
