import { shellWord } from '../core/shell-word.ts'
import type { Notice, NoticeKind } from '../engine/embedded/index.ts'
import type { ComposeOptions } from './compose-notices.ts'

/** Where a run is recorded: in a folder of a machine, or on a Temporal server. */
export interface NoticePlaceFacts {
  readonly host?: string
  readonly data_dir?: string
  /** Host and port of the server. */
  readonly server?: string
  readonly namespace?: string
}

/** A message as programs get it. */
export interface NoticeDocument extends NoticePlaceFacts {
  /** The same each time that it is delivered. */
  readonly delivery_id: string
  readonly kind: NoticeKind
  readonly runbook: string
  readonly title?: string
  /** Left out: it is about no run. */
  readonly run_id?: string
  /** The path of the step that asks, or that failed. */
  readonly step?: string
  /** What is asked, or what went wrong; begins with `[sandbox]` where the run works in a sandbox. */
  readonly message: string
  /** The run works in a sandbox. */
  readonly sandbox?: true
  readonly error_code?: string
  readonly request_id?: string
  /** RFC 3339: since when it is so. */
  readonly since: string
  /** RFC 3339: until when an answer is waited for. */
  readonly until?: string
  /** What a person can do about it. */
  readonly commands: readonly string[]
}

/** Nobody reads more of it in a chat. */
const mostCharacters = 2000

/** A notice as one document. */
export function noticeDocument(
  notice: Notice,
  id: string,
  { place, isSandbox }: Pick<ComposeOptions, 'place' | 'isSandbox'>,
): NoticeDocument {
  const { kind, runbook, title, runId, path, message, error, sinceMs, untilMs } = notice
  return {
    delivery_id: id,
    kind,
    runbook,
    ...(title === undefined ? {} : { title }),
    ...(runId === undefined ? {} : { run_id: runId }),
    ...place.facts,
    ...(path === undefined ? {} : { step: path }),
    message: isSandbox ? `[sandbox] ${shortened(message)}` : shortened(message),
    ...(isSandbox ? { sandbox: true } : {}),
    ...(error === undefined ? {} : { error_code: error.code }),
    ...(error?.requestId === undefined ? {} : { request_id: error.requestId }),
    since: new Date(sinceMs).toISOString(),
    ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
    commands: commandsFor(notice).map((words) => `opsbook ${words} ${place.flags}`),
  }
}

function shortened(message: string): string {
  return message.length > mostCharacters ? `${message.slice(0, mostCharacters)}…` : message
}

function commandsFor({ kind, runbook, runId = 'RUN', path: given = 'STEP' }: Notice): readonly string[] {
  const path = shellWord(given)
  switch (kind) {
    case 'approval_waiting':
      return [`approve ${runId} ${path}`, `reject ${runId} ${path}`]
    case 'run_failed':
      return [`show ${runId}`, `resume ${runId}`]
    case 'outcome_unknown':
      return [
        `show ${runId}`,
        ...['succeeded', 'failed', 'retry'].map((as) => `decide ${runId} ${path} --as ${as}`),
      ]
    case 'start_limit_reached':
      return [`events --runbook ${runbook} --because start_limit_reached`, 'triggers pause']
    case 'schedule_missed':
      return ['schedules']
  }
}
