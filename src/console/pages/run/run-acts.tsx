import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { isExecuted } from '../../../core/record/index.ts'
import type { InboxDocument } from '../../../documents/index.ts'
import { CommentField, HiddenFields } from '../acts/field-inputs.tsx'
import { RefusalNotice } from '../acts/refusal.tsx'
import { usePlace, useProof, useRefused } from '../acts/shown-state.ts'
import { InboxList } from '../inbox/inbox-list.tsx'
import type { ShownRun } from '../page-state.ts'
import { read } from '../parts/follow.ts'
import type { LiveRun } from './live-run.ts'

interface Given {
  readonly run: ShownRun
  readonly inbox: InboxDocument | undefined
  readonly live: LiveRun
  /** Changes when another question is open, or one is not any more. */
  readonly asked: ReadonlySignal<number>
}

/** What a person can do to a run: answer what it asks, pause it, and cancel it. */
export function RunActs({ run, inbox: first, live, asked }: Given): VNode {
  const inbox = useSignal(first)
  const refused = useRefused()
  const { status } = live.head.value
  const isFirst = useRef(true)
  useEffect(() => {
    // The server has sent what waits with the page.
    if (isFirst.current) isFirst.current = false
    else if (first !== undefined) {
      const address = `/api/v1/runs/${encodeURIComponent(run.run_id)}/inbox`
      read<InboxDocument>(address).then(
        (now) => {
          inbox.value = now
        },
        () => {},
      )
    }
  }, [status, asked.value, inbox, first, run.run_id])
  const waiting = inbox.value?.waiting ?? []
  const isControl = refused !== undefined && refused.given['step'] === undefined
  return (
    <>
      {isControl ? <RefusalNotice refused={refused} /> : null}
      <Controls run={run} live={live} isUnresolved={waiting.some(({ kind }) => kind === 'unknown_outcome')} />
      {status === 'waiting' && waiting.length === 0 ? (
        <p class="notice held">It waits for an event: the step says for which.</p>
      ) : null}
      {status === 'unknown' && waiting.length === 0 && first !== undefined ? (
        <p class="notice">Each unknown outcome is resolved. A resume continues the run.</p>
      ) : null}
      {status === 'interrupted' && waiting.length === 0 ? (
        <p class="notice held">
          No process executes the run. A <a href={`/runs/${encodeURIComponent(run.run_id)}/resume`}>resume</a>{' '}
          continues it.
        </p>
      ) : null}
      {waiting.length === 0 && (refused === undefined || isControl) ? null : (
        <section aria-label="What the run waits for">
          <InboxList inbox={{ waiting }} />
        </section>
      )}
    </>
  )
}

function Controls(props: Pick<Given, 'run' | 'live'> & { readonly isUnresolved: boolean }): VNode | null {
  const { run, live, isUnresolved } = props
  const isOperator = useProof('operator') !== undefined
  const isAdmin = useProof('admin') !== undefined
  const { status } = live.head.value
  // First a person says what became of the call; the last one of these leads to the resume.
  if (isResumable(status) && isUnresolved) return null
  if (isResumable(status) && isOperator)
    return (
      <div class="controls">
        <a class="button" href={`/runs/${encodeURIComponent(run.run_id)}/resume`}>
          Resume…
        </a>
      </div>
    )
  if (!isExecuted(status) || !(isOperator || isAdmin)) return null
  const requests = run.control_requests ?? []
  const isCancelled = requests.some(({ kind }) => kind.startsWith('cancel'))
  const send = { runId: run.run_id, shown: requests.length }
  return (
    <div class="controls">
      {status === 'paused' ? (
        <Control {...send} kind="unpause" needs="operator" word="Continue" />
      ) : (
        <Control {...send} kind="pause" needs="operator" word="Pause" />
      )}
      <CancelDialog {...send} isCancelled={isCancelled} />
    </div>
  )
}

/** Whether a run has stopped so that it can go on. */
function isResumable(status: string): boolean {
  return status === 'failed' || status === 'interrupted' || status === 'unknown'
}

/** What cannot be undone is asked in a dialog, which browsers open and close without scripts. */
function CancelDialog(props: {
  readonly runId: string
  readonly shown: number
  readonly isCancelled: boolean
}): VNode {
  const { isCancelled, ...send } = props
  const word = isCancelled ? 'Abort the clean-up' : 'Cancel the run'
  return (
    <>
      <button type="button" popovertarget="cancel">
        {word}…
      </button>
      <dialog id="cancel" popover="auto" class="card" aria-labelledby="cancel-word">
        <h2 id="cancel-word">{word}?</h2>
        {useProof('admin') === undefined || isCancelled ? null : (
          <label class="check">
            <input type="checkbox" /> Skip the clean-up
          </label>
        )}
        <Control
          {...send}
          kind="cancel"
          needs="operator"
          word={word}
          about={
            isCancelled
              ? 'The run is being cancelled. This ends the rest of its clean-up.'
              : 'Calls in flight end, and the clean-up of the run is executed.'
          }
        />
        {isCancelled ? null : (
          <Control
            {...send}
            kind="cancel-now"
            needs="admin"
            word={word}
            about="The run ends without its clean-up. The outcome of calls in flight may be unknown."
          />
        )}
        <button type="button" popovertarget="cancel" popovertargetaction="hide">
          Go back
        </button>
      </dialog>
    </>
  )
}

/** One act. */
function Control(props: {
  readonly runId: string
  readonly shown: number
  readonly kind: string
  readonly needs: string
  readonly word: string
  readonly about?: string
}): VNode | null {
  const { runId, shown, kind, needs, word, about } = props
  const csrf = useProof(needs)
  const back = usePlace()
  if (csrf === undefined) return null
  return (
    <form
      method="post"
      action={`/runs/${encodeURIComponent(runId)}/${kind}`}
      class={kind === 'cancel-now' ? 'act skipping' : 'act'}
    >
      <HiddenFields given={{ csrf, back, shown: String(shown) }} />
      {about === undefined ? null : <p class="dim">{about}</p>}
      <div class="fields">
        {about === undefined ? null : <CommentField />}
        <button type="submit" class={about === undefined ? '' : 'main'}>
          {word}
        </button>
      </div>
    </form>
  )
}
