import { isNamedCall } from '../file/call-paths.ts'
import type { LoadedTests } from '../file/load-test-file.ts'
import { usedEntry } from '../play/scripted-calls.ts'
import type { TestFailure } from '../test-failure.ts'
import { recordingUses } from './load-recordings.ts'
import { planChanges } from './plan-changes.ts'

/** The most changes that one warning lists. */
const mostNamed = 5

/** Warns of recordings of another plan, and says what changed. */
export function changedPlans({
  document,
  recordings,
  source,
  plan,
  actions,
}: LoadedTests): readonly TestFailure[] {
  const uses = recordingUses(document)
  return [...recordings].flatMap(([name, recording]) => {
    const changes = planChanges(recording, plan, actions)
    const at = uses.find((use) => use.recording === name)?.at
    if (changes.length === 0 || at === undefined) return []
    const more = changes.length > mostNamed ? [`and ${changes.length - mostNamed} more`] : []
    const message = `the recording "${name}" is of another plan. Changed: ${[...changes.slice(0, mostNamed), ...more].join('; ')}`
    return [{ message, hints: [], range: source.rangeOf(at) }]
  })
}

/** Warns of the recorded calls that a script stands for, and that no test uses. */
export function unusedRecorded(
  { document, recordings, source }: LoadedTests,
  used: ReadonlySet<string>,
): readonly TestFailure[] {
  const seen = new Set<string>()
  return recordingUses(document).flatMap(({ recording, name, at }) => {
    const calls = recordings.get(recording)?.calls ?? []
    const named = calls.filter(({ path, action }) => isNamedCall(path, name) || action === name)
    return [...new Set(named.map(({ path }) => path))].flatMap((path): TestFailure | [] => {
      const entry = usedEntry(recording, path)
      if (used.has(entry) || seen.has(entry)) return []
      seen.add(entry)
      const message = `no call uses ${path} of the recording "${recording}"`
      return { message, hints: [], range: source.rangeOf(at) }
    })
  })
}
