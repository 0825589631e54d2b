import type { RunEvent } from '../../core/events.ts'
import type { CallRequest, Cancellation, Listening } from '../../core/host/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { ScriptedAction, ScriptedWorld } from './scripted-world.ts'
import type { TestJournal, TestReplay } from './test-journal.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** A process that executes a scripted run: what it does not leave in the journal is gone when it stops. */
export interface ScriptedProcess {
  readonly world: ScriptedWorld
  readonly actions: ReadonlyMap<string, ScriptedAction>
  readonly clock: VirtualClock
  readonly journal: TestJournal
  /** Receives how many outcomes the journal holds. */
  readonly onRecorded: (count: number) => void
  readonly replay: TestReplay
  readonly calls: CallRequest[]
  readonly events: RunEvent[]
  /** The process is to stop: what changes nothing is abandoned. */
  readonly interruption: Cancellation
  /** How many of the events each wait has looked at. */
  readonly seen: WeakMap<Listening, number>
}

/** Throws once the process is to stop. */
export function stopHere({ interruption }: ScriptedProcess): void {
  if (interruption.reason) throw new RunbookError('Interrupted', 'asked to stop')
}

/** Ends at that time, or once one of these is cancelled. */
export async function sleep(
  { clock }: ScriptedProcess,
  timeMs: number,
  enders: readonly Cancellation[],
): Promise<void> {
  const { ended, wake } = clock.sleepUntil(timeMs)
  const leave = enders.map((ender) => ender.onCancel(wake))
  await ended
  for (const off of leave) off()
}

export function report({ world, journal, events }: ScriptedProcess, event: RunEvent): void {
  events.push(event)
  world.onEvent?.(event)
  if (event.type !== 'run_finished' || !journal.memory) return
  const { warnings, warnings_left_out } = event
  journal.memory.warnings = { ...(warnings && { warnings }), ...(warnings_left_out && { warnings_left_out }) }
}
