import type { VNode } from 'preact'
import type { InboxDocument, InboxEntry } from '../../../documents/index.ts'
import { AnswerForm } from '../acts/answer-form.tsx'
import { AskedQuestions } from '../acts/asked.tsx'
import { NeededRole } from '../acts/needed-role.tsx'
import { LostRefusal } from '../acts/refusal.tsx'
import { useProof } from '../acts/shown-state.ts'
import { LongText } from '../parts/long-text.tsx'
import { ExactMoment, Moment } from '../parts/moment.tsx'
import { StatusSign } from '../parts/status.tsx'

/** The level of the headings of entries. */
type Heading = 'h2' | 'h3'

/** What needs a person, the earliest deadline first. */
export function InboxList({
  inbox,
  heading = 'h2',
}: {
  readonly inbox: InboxDocument
  readonly heading?: Heading
}): VNode {
  const { waiting, unread = [], has_more } = inbox
  if (waiting.length === 0 && unread.length === 0)
    return (
      <>
        <LostRefusal entries={[]} />
        <p class="empty calm">
          Nothing waits for a person. What a run asks, and calls with an unknown outcome, appear here. See the{' '}
          <a href="/runs">runs</a>.
        </p>
      </>
    )
  return (
    <>
      <LostRefusal entries={waiting} />
      <ul class="inbox">
        {waiting.map((entry) => (
          <Entry
            key={`${entry.run_id} ${entry.kind === 'question' ? entry.shown : entry.path}`}
            entry={entry}
            heading={heading}
          />
        ))}
        {unread.map(({ run_id, code, message }) => (
          <li key={run_id} class="card">
            <p>
              <a href={`/runs/${run_id}`}>{run_id}</a> could not be read: <span class="code">{code}</span>{' '}
              {message}
            </p>
          </li>
        ))}
      </ul>
      {has_more ? <p class="dim">There are more.</p> : null}
    </>
  )
}

function Entry({ entry, heading }: { readonly entry: InboxEntry; readonly heading: Heading }): VNode {
  const { run_id, runbook, title, commands } = entry
  return (
    <li class="card">
      <div class="head">
        <span class="held">
          <StatusSign status={entry.kind === 'question' ? 'waiting' : 'unknown'} />
        </span>
        {entry.kind === 'question' ? (
          <Question entry={entry} heading={heading} />
        ) : (
          <Unknown entry={entry} heading={heading} />
        )}
      </div>
      <p class="dim">
        <a href={`/runs/${run_id}`}>{title ?? runbook}</a> at <span class="path">{entry.step}</span>
        {entry.kind === 'question' && entry.asked_at !== undefined ? (
          <>
            , asked <ExactMoment at={entry.asked_at} />
          </>
        ) : null}
      </p>
      {entry.kind === 'question' ? <AskedQuestions entry={entry} /> : null}
      <AfterAnswer entry={entry} />
      {entry.kind === 'question' ? <AnswerForm entry={entry} /> : <ResolveLink entry={entry} />}
      <details>
        <summary>{entry.kind === 'question' ? 'Answer' : 'Resolve'} from a terminal</summary>
        <LongText>{commands.join('\n')}</LongText>
      </details>
    </li>
  )
}

/** What else keeps a run from continuing after the answer. */
function AfterAnswer({ entry: { kind, run_id, status } }: { readonly entry: InboxEntry }): VNode | null {
  if (kind === 'question' && status === 'interrupted')
    return (
      <p class="notice held">
        No process executes the run: after the answer, a{' '}
        <a href={`/runs/${encodeURIComponent(run_id)}/resume`}>resume</a> continues it.
      </p>
    )
  if (status === 'paused')
    return <p class="notice held">The run is paused: after the answer, its page continues it.</p>
  return null
}

function ResolveLink({
  entry: { run_id, path },
}: {
  readonly entry: Extract<InboxEntry, { kind: 'unknown_outcome' }>
}): VNode | null {
  if (useProof('approver') === undefined) return <NeededRole needs="approver" to="resolve it" />
  return (
    <p>
      <a class="button" href={`/runs/${encodeURIComponent(run_id)}/decide/${encodeURIComponent(path)}`}>
        Resolve…<span class="unseen"> {path}</span>
      </a>
    </p>
  )
}

function Question({
  entry,
  heading: Heading,
}: {
  readonly entry: Extract<InboxEntry, { kind: 'question' }>
  readonly heading: Heading
}): VNode {
  const { questions, count, until } = entry
  const [first] = questions
  return (
    <>
      <Heading>{first?.message ?? entry.step}</Heading>
      {count > 1 ? <span class="tag">{count} items</span> : null}
      <span class="push">
        {until === undefined ? (
          <span class="dim">no deadline</span>
        ) : (
          <>
            due <Moment at={until} />
          </>
        )}
      </span>
    </>
  )
}

function Unknown({
  entry,
  heading: Heading,
}: {
  readonly entry: Extract<InboxEntry, { kind: 'unknown_outcome' }>
  readonly heading: Heading
}): VNode {
  const { action, path, error } = entry
  return (
    <>
      <Heading>
        Was {action} done at {path}?
      </Heading>
      <span class="dim">
        {error === undefined ? 'its process ended before there was a result' : error.message}
      </span>
    </>
  )
}
