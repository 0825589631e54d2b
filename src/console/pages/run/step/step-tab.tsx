import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { JsonValue } from '../../../../core/json.ts'
import { isExecuted } from '../../../../core/record/index.ts'
import type { AttemptDocument, ErrorDocument, StepDocument } from '../../../../documents/index.ts'
import { durationText, failedItemsText, sizeText } from '../../../../view/text/index.ts'
import { read } from '../../parts/follow.ts'
import { LongText } from '../../parts/long-text.tsx'
import { ExactMoment, Moment } from '../../parts/moment.tsx'
import { figure } from '../../parts/numbers.ts'
import { Status } from '../../parts/status.tsx'
import { useThrottled } from '../../parts/use-throttled.ts'
import { waitWords } from '../../parts/waits.tsx'
import { FileTable } from '../data/file-table.tsx'
import { QuestionList } from '../data/question-list.tsx'
import { FailureList } from '../failure-list.tsx'
import type { LiveRun } from '../live-run.ts'
import { stepHref } from './step-href.ts'

/** One step, item or call: each attempt with what it was sent and what it answered. */
export function StepTab({
  runId,
  after,
  first,
  live,
}: {
  readonly runId: string
  readonly after: number
  readonly first: StepDocument
  readonly live: LiveRun
}): VNode {
  const shown = useSignal(first)
  const {
    path,
    item,
    step,
    item_status,
    has_tolerated,
    error,
    advice,
    failed,
    is_not_begun,
    attempts,
    next,
    waits,
    questions,
    files,
  } = shown.value
  const isWaiting = questions.some((one) => one.status === 'open')
  const status = isWaiting ? 'waiting' : (step?.status ?? item_status)
  const isTolerated = step?.is_warning || (status === 'succeeded' && has_tolerated)
  const { last_at } = live.head.value
  const address = `/api/v1/runs/${encodeURIComponent(runId)}/steps/${encodeURIComponent(path)}?after=${after}`
  useThrottled(async () => {
    shown.value = await read<StepDocument>(address)
  }, last_at)
  return (
    <section class="step-page" aria-label={`Step ${path}`}>
      <h2>
        <span class="path">{path}</span>
        {item === undefined ? null : <span class="dim"> {item}</span>}
      </h2>
      {status === undefined ? null : (
        <p>
          <Status status={isTolerated ? 'tolerated' : status} word={status} />
          {step?.failed_items === undefined ? null : (
            <span class="held">, {failedItemsText(step.failed_items)}</span>
          )}
        </p>
      )}
      {error === undefined || attempts.some((one) => one.error?.message === error.message) ? null : (
        <ErrorNotice error={error} advice={advice} />
      )}
      {questions.length === 0 ? null : <QuestionList questions={questions} />}
      <FailureList title="What failed in it" failures={failed} runId={runId} />
      {attempts.length + questions.length > 0 ? null : (
        <p class="empty">{is_not_begun ? 'It was not begun.' : 'It has made no calls.'}</p>
      )}
      {attempts.map((attempt) => (
        <Attempt
          key={`${attempt.path} ${attempt.attempt} ${attempt.started_at}`}
          attempt={attempt}
          runId={runId}
          isRunning={isExecuted(live.head.value.status)}
        />
      ))}
      {after === 0 && next === undefined ? null : (
        <p class="pager">
          <span class="dim">
            attempts {figure(after + 1)} to {figure(after + attempts.length)}
          </span>
          {after === 0 ? null : <a href={stepHref(runId, path)}>The first ones</a>}
          {next === undefined ? null : <a href={`${stepHref(runId, path)}&after=${next}`}>The next ones</a>}
        </p>
      )}
      <Log {...shown.value} />
      {waits.length === 0 ? null : (
        <section>
          <h3>Waits</h3>
          <ul class="plain">
            {waits.map(({ path: call, reason, message, started_at, ended_at }) => (
              <li key={`${call} ${started_at}`}>
                <Moment at={started_at} /> {waitWords[reason]}
                {message === undefined ? '' : `: ${message}`}
                {ended_at === undefined ? null : (
                  <span class="dim"> {durationText(Date.parse(ended_at) - Date.parse(started_at))}</span>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      {files.length === 0 ? null : (
        <section>
          <h3>Files</h3>
          <FileTable runId={runId} files={files} />
        </section>
      )}
    </section>
  )
}

/** Lines of a log that are not folded: its end says why. */
const openLines = 15

function Log({ log, log_left_out = 0 }: StepDocument): VNode | null {
  if (log.length === 0) return null
  const before = log.slice(0, -openLines)
  return (
    <section>
      <h3>Log</h3>
      {before.length === 0 ? null : (
        <details>
          <summary>{figure(before.length)} lines before</summary>
          {log_left_out === 0 ? null : (
            <p class="dim">{figure(log_left_out)} lines before them are not shown.</p>
          )}
          <LongText>{logText(before)}</LongText>
        </details>
      )}
      <LongText>{logText(log.slice(-openLines))}</LongText>
    </section>
  )
}

function logText(lines: StepDocument['log']): string {
  return lines
    .map(
      ({ at, level, message }) => `${at.slice(11, 19)}Z ${level === 'info' ? '' : `${level}: `}${message}\n`,
    )
    .join('')
}

function Attempt({
  attempt,
  runId,
  isRunning,
}: {
  readonly attempt: AttemptDocument
  readonly runId: string
  /** A process executes the run. */
  readonly isRunning: boolean
}): VNode {
  const { path, action, status, error, sent, output, advice, request_id, started_at, ended_at } = attempt
  const shown = status !== 'begun' ? status : isRunning ? 'running' : 'unknown'
  const took =
    ended_at === undefined ? undefined : durationText(Date.parse(ended_at) - Date.parse(started_at))
  const size = sent?.bytes === undefined ? '' : ` (${sizeText(sent.bytes)}, too large for the record)`
  const { input, bytes: _, is_read: __, ...more } = sent ?? {}
  return (
    <article class="card attempt" aria-label={`${path}, attempt ${attempt.attempt}`}>
      <p class="head">
        <Status status={shown} word={shown === 'unknown' ? 'no answer recorded' : shown} />
        <a class="path" href={stepHref(runId, path)}>
          {path}
        </a>
        <span>attempt {attempt.attempt}</span>
        <span class="uses">{action}</span>
        <span class="dim">
          <ExactMoment at={started_at} />
          {took === undefined ? '' : `, ${took}`}
          {request_id === undefined ? '' : `, request ${request_id}`}
          {fateText(attempt)}
        </span>
      </p>
      {error === undefined ? null : <ErrorNotice error={error} advice={advice} />}
      {error?.details === undefined ? null : (
        <FoldedValue word="Details of the error" value={error.details} isOpen />
      )}
      {sent === undefined ? null : <FoldedValue word={`Sent${size}`} value={{ ...input, ...more }} isOpen />}
      {output === undefined ? null : (
        <FoldedValue word="Answered" value={output} isOpen={error === undefined} />
      )}
    </article>
  )
}

function ErrorNotice({
  error: { code, message },
  advice,
}: {
  readonly error: Pick<ErrorDocument, 'code' | 'message'>
  readonly advice: string | undefined
}): VNode {
  return (
    <p class="notice bad">
      <span class="code">{code}</span> {message}
      {advice === undefined ? null : <span class="why">{advice}</span>}
    </p>
  )
}

function fateText({ is_repeated, is_taken_over, is_superseded, is_set_aside }: AttemptDocument): string {
  return [
    is_repeated ? ', tried again' : '',
    is_taken_over ? ', result reused: not sent again' : '',
    is_set_aside ? ', set aside by a resume' : is_superseded ? ', tried again later' : '',
  ].join('')
}

/** Longer values are folded. */
const mostOpen = 4000

/** A value under its word. Commands and services answer with texts of several lines, which stay so. */
function FoldedValue({
  word,
  value,
  isOpen,
}: {
  readonly word: string
  readonly value: JsonValue
  readonly isOpen: boolean
}): VNode {
  const text = JSON.stringify(value, null, 2)
  return (
    <details open={isOpen && text.length <= mostOpen}>
      <summary>
        {word} <span class="dim">{sizeText(text.length)}</span>
      </summary>
      <LongText>{text.replaceAll(/(?<!\\)((?:\\\\)*)\\n/g, '$1\n')}</LongText>
    </details>
  )
}
