import type { ComponentChildren, VNode } from 'preact'
import { type EventRecord, pauseWord, type ScheduleRecord, startsWord } from '../../../core/triggers/index.ts'
import type { Schedules } from '../../../documents/index.ts'
import { CommentField, HiddenFields } from '../acts/field-inputs.tsx'
import { RefusalNotice } from '../acts/refusal.tsx'
import { useProof, useRefused } from '../acts/shown-state.ts'

/** Pauses or resumes all automatic starts, and says why an act here was refused. */
export function TriggerSwitch(props: {
  readonly paused: Schedules['paused'] | undefined
  readonly back: 'events' | 'schedules'
}): VNode {
  const { paused, back } = props
  const refused = useRefused()
  return (
    <>
      {refused === undefined ? null : <RefusalNotice refused={refused} />}
      <Act
        action={`/triggers/${paused === undefined ? 'pause' : 'unpause'}`}
        shown={pauseWord(paused)}
        back={back}
        word={paused === undefined ? 'Pause all automatic starts' : 'Resume automatic starts'}
        asks={paused === undefined}
      >
        Events are still recorded, and open runs are not affected.
      </Act>
    </>
  )
}

/** Starts a run of a schedule now, and pauses or resumes it. */
export function ScheduleSwitches({
  schedule: { id, state, paused, last },
  isAllPaused,
}: {
  readonly schedule: ScheduleRecord
  readonly isAllPaused: boolean
}): VNode {
  const address = `/schedules/${encodeURIComponent(id)}`
  const isPaused = state === 'paused'
  return (
    <div class="controls">
      <Act
        action={`${address}/trigger`}
        shown={startsWord(last)}
        word="Start a run now"
        about={id}
        asks={true}
      >
        A run starts now, besides those of its times.
      </Act>
      {isAllPaused || (state !== 'active' && !isPaused) ? null : (
        <Act
          action={`${address}/${isPaused ? 'unpause' : 'pause'}`}
          shown={pauseWord(paused)}
          word={isPaused ? 'Resume' : 'Pause'}
          about={id}
          asks={!isPaused}
        >
          It starts no runs until it is resumed.
        </Act>
      )}
    </div>
  )
}

/** Sends a recorded event once more, and says why that was refused. `at`: when it was shown; the new id ends with it. */
export function SendAgain({
  event: { hook, event_id },
  at,
}: {
  readonly event: EventRecord
  readonly at: string
}): VNode {
  const refused = useRefused()
  return (
    <>
      {refused === undefined ? null : <RefusalNotice refused={refused} />}
      <Act
        action={`/events/${encodeURIComponent(hook)}/${encodeURIComponent(event_id)}/send-again`}
        shown={Date.parse(at).toString(36)}
        needs="operator"
        word="Send again"
        asks={true}
      >
        It becomes an event of its own, and triggers decide about it as they are now. You count as who starts
        its runs.
      </Act>
    </>
  )
}

/** One act. What asks is opened first, so that no single click does it. */
function Act(props: {
  readonly action: string
  readonly shown: string
  readonly word: string
  readonly about?: string
  readonly back?: string
  readonly asks: boolean
  /** Whoever acts has this role. @default 'admin' */
  readonly needs?: 'operator'
  readonly children: ComponentChildren
}): VNode | null {
  const { action, shown, word, about, back, asks, needs = 'admin', children } = props
  const csrf = useProof(needs)
  if (csrf === undefined) return null
  const unseen = about === undefined ? null : <span class="unseen"> {about}</span>
  const form = (
    <form method="post" action={action} class="act">
      <HiddenFields given={{ csrf, shown, ...(back === undefined ? {} : { back }) }} />
      {asks ? <p class="dim">{children}</p> : null}
      <div class="fields">
        {asks && !/\/(?:trigger|send-again)$/.test(action) ? <CommentField /> : null}
        <button type="submit">
          {word}
          {unseen}
        </button>
      </div>
    </form>
  )
  if (!asks) return form
  return (
    <details>
      <summary>
        {word}…{unseen}
      </summary>
      {form}
    </details>
  )
}
