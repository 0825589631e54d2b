import { randomUUID } from 'node:crypto'
import { withoutUndefined } from '../core/json.ts'
import { answerCommands } from '../core/people/index.ts'
import { itemIndex, itemName, itemPathsOf } from '../core/record/index.ts'
import { shellWord, showInvisible } from '../core/text/index.ts'
import type { ComposeNotice, Notice, NoticeKind } from '../engine/notices/index.ts'
import { pageOfRun } from '../engine/record/index.ts'

/** How a message is written. */
export type NoticeFormat = 'slack' | 'json'

/** A target of notifications. */
export interface NoticeTarget {
  /** Escalations are sent to it by this name. */
  readonly name?: string
  /** The kinds of notices that it receives. */
  readonly on: readonly string[]
  /** The reference to its address, such as `env:CHAT_URL`. Never the address itself: it may be a secret. */
  readonly reference: string
  readonly format: NoticeFormat
}

/** The backend location of the runs, for readers elsewhere. */
export interface NoticePlace {
  /** For programs. */
  readonly facts: NoticePlaceFacts
  /** For people, such as `on ops-1, in /srv/opsbook`. */
  readonly text: string
  /** The flags of the commands in a message, such as `--data-dir /srv/opsbook`. */
  readonly flags: string
  /** The public address of the console. Left out: messages have no link. */
  readonly console?: string
}

/** What messages are composed with. */
export interface ComposeOptions {
  readonly targets: readonly NoticeTarget[]
  readonly place: NoticePlace
  /**
   * The runs use a sandbox, as each message states.
   * @default false
   */
  readonly isSandbox?: boolean
  /** Masks a text. */
  readonly mask: (text: string) => string
}

/** Composes the messages for a notice: one for each target that receives its kind. */
export function composeNotices({ targets, place, isSandbox = false, mask }: ComposeOptions): ComposeNotice {
  return (notice) =>
    targetsOf(notice, targets).map(({ reference, format }) => {
      const id = randomUUID()
      const items = (notice.items ?? []).map((item) => itemName(item, { text: mask }))
      const document = noticeDocument(masked(notice, mask), id, { place, isSandbox, items })
      const body = format === 'slack' ? { text: slackText(document, place, items) } : document
      return { id, target: reference, body: JSON.stringify(body) }
    })
}

/** Reminders go where the question went. An escalation to a name that no target has goes there, too. */
function targetsOf({ kind, to }: Notice, targets: readonly NoticeTarget[]): readonly NoticeTarget[] {
  const isOfQuestion = kind === 'approval_reminder' || kind === 'approval_escalated'
  const named = kind === 'approval_escalated' ? targets.filter(({ name }) => name === to) : []
  return named.length > 0
    ? named
    : targets.filter(({ on }) => on.includes(isOfQuestion ? 'approval_waiting' : kind))
}

function masked(notice: Notice, mask: (text: string) => string): Notice {
  const { title, message } = notice
  return { ...notice, message: mask(message), ...(title === undefined ? {} : { title: mask(title) }) }
}

const heads: Readonly<Record<NoticeDocument['kind'], string>> = {
  approval_waiting: 'waits for an answer',
  approval_reminder: 'still waits for an answer',
  approval_escalated: 'still waits for an answer, and was escalated',
  run_failed: 'has failed',
  outcome_unknown: 'needs a decision: the outcome of a write is unknown',
  start_limit_reached: 'has had more events than it may start runs',
  schedule_missed: 'was not started in time',
}

/** A message for a chat, escaped: what a runbook or a service says becomes no mention and no link. */
function slackText(
  document: NoticeDocument,
  { text: place }: Pick<NoticePlace, 'text'>,
  items: readonly string[],
): string {
  const { kind, runbook, title, run_id, step, message, sandbox, error_code, request_id, since, until } =
    document
  const named = items.length === 0 ? '' : ` (${items.join(', ')})`
  const where = step === undefined ? '' : ` at ${step}${named}`
  const code = error_code === undefined ? '' : `${error_code}: `
  const time = `since ${since}${until === undefined ? '' : `, until ${until}`}`
  return [
    `${sandbox ? '[sandbox] ' : ''}*${escaped(runbook)}* ${heads[kind]}${escaped(where)}`,
    ...(title === undefined ? [] : [`_${escaped(title)}_`]),
    ...`${code}${message}`.split('\n').map((line) => `> ${escaped(line)}`),
    `${run_id === undefined ? '' : `${escaped(run_id)}, `}${time}${request_id === undefined ? '' : `, request ${escaped(request_id)}`}`,
    ...(document.link === undefined ? [] : [document.link]),
    `${escaped(place)}:`,
    ...document.commands.map((command) => `\`${escaped(command)}\``),
  ].join('\n')
}

/** Shows what is invisible, and escapes the characters of https://docs.slack.dev/messaging/formatting-message-text. */
function escaped(text: string): string {
  return showInvisible(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

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
  /** The same in each try. */
  readonly delivery_id: string
  readonly kind: NoticeKind
  readonly runbook: string
  readonly title?: string
  /** Left out: it is about no run. */
  readonly run_id?: string
  /** The path of the step that asks, or that failed. */
  readonly step?: string
  /** Position of the item of a loop that the path leads into; of loops in loops the innermost. */
  readonly index?: number
  /** That item, at most 60 characters. */
  readonly item?: string
  /** The number of a reminder, from 1. */
  readonly reminder?: number
  /** The name that an escalation is for. */
  readonly escalated_to?: string
  /** The question or the error; begins with `[sandbox]` where the run uses a sandbox. */
  readonly message: string
  /** The run uses a sandbox. */
  readonly sandbox?: true
  readonly error_code?: string
  readonly request_id?: string
  /** RFC 3339: when it began. */
  readonly since: string
  /** RFC 3339: when the question expires. */
  readonly until?: string
  /** The page of the run in the console. It shows; to act there needs a log-in. Left out: no public address is configured. */
  readonly link?: string
  /** Commands for the reader. */
  readonly commands: readonly string[]
}

/** The longest message in a chat. */
const mostCharacters = 2000

/** A notice as one document. */
function noticeDocument(
  notice: Notice,
  id: string,
  {
    place,
    isSandbox,
    items,
  }: Pick<ComposeOptions, 'place' | 'isSandbox'> & { readonly items: readonly string[] },
): NoticeDocument {
  const { kind, runbook, title, runId, path, message, error, sinceMs, untilMs, reminder, to } = notice
  const { url: link } = runId === undefined ? {} : pageOfRun(runId, place.console)
  return {
    delivery_id: id,
    kind,
    runbook,
    ...withoutUndefined({ title, run_id: runId }),
    ...place.facts,
    ...(path === undefined ? {} : { step: path, ...itemFacts(path, items) }),
    ...withoutUndefined({ reminder, escalated_to: to }),
    message: isSandbox ? `[sandbox] ${shortened(message)}` : shortened(message),
    ...(isSandbox ? { sandbox: true } : {}),
    ...(error === undefined ? {} : { error_code: error.code }),
    ...(error?.requestId === undefined ? {} : { request_id: error.requestId }),
    since: new Date(sinceMs).toISOString(),
    ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
    ...(link === undefined ? {} : { link }),
    commands: commandsFor(notice).map((words) => `opsbook ${words} ${place.flags}`),
  }
}

/** Of the innermost item that a path leads into. */
function itemFacts(path: string, items: readonly string[]): Pick<NoticeDocument, 'index' | 'item'> {
  const itemPath = itemPathsOf(path).at(-1)
  if (itemPath === undefined) return {}
  const item = items.at(-1)
  return { index: itemIndex(itemPath), ...(item === undefined ? {} : { item }) }
}

function shortened(message: string): string {
  return message.length > mostCharacters ? `${message.slice(0, mostCharacters)}…` : message
}

function commandsFor({
  kind,
  runbook,
  runId = 'RUN',
  path: given = 'STEP',
  fields,
  shown = '',
}: Notice): readonly string[] {
  const path = shellWord(given)
  switch (kind) {
    case 'approval_waiting':
    case 'approval_reminder':
    case 'approval_escalated':
      return answerCommands(fields, shown).map(({ verb, more }) => [verb, runId, path, ...more].join(' '))
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
