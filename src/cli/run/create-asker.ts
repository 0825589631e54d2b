import { createInterface, type Interface } from 'node:readline'
import { coversLines } from '../../core/approval/index.ts'
import {
  type AnswerDecision,
  answeredWord,
  answererText,
  countOf,
  type GivenAnswer,
  neededFor,
  type Question,
  saidText,
  whyNotAllowed,
} from '../../core/people/index.ts'
import { shellWord } from '../../core/text/index.ts'
import { formatDuration } from '../../core/times/index.ts'
import type { AskedHere, AskHere } from '../../engine/index.ts'
import { systemIdentity } from '../../engine/record/index.ts'
import { locationFlags, printable, printableLine } from '../../project/text/index.ts'
import { type CommandContext, tell } from '../shared/context.ts'
import type { Io } from '../shared/io.ts'
import type { FollowFlags, ViewOptions } from '../shared/options.ts'
import { wrap } from '../shared/terminal/columns.ts'
import { neededText } from '../shared/terminal/policy-text.ts'
import { askFields, type Prompt } from './ask-fields.ts'
import type { RunViews } from './open-views.ts'

/**
 * Asks the questions of a run on the terminal, one at a time. Without a terminal, it prints the command that answers the
 * question; so it does where approvals and defaults are given in advance.
 */
export function createAsker(
  context: CommandContext,
  options: FollowFlags,
  { follower, mask, state }: RunViews,
): AskHere {
  const asks = options.yes !== true
  const { io } = context
  const isTerminal = io.stdin.isTTY === true && io.stderr.isTTY === true
  const enqueue = createQueue()
  const person = { by: systemIdentity() }
  const clean = (text: string): string => printableLine(mask.text(text))
  const shownOf = (question: AskedHere): AskedHere => ({
    ...question,
    path: clean(state.items.label(question.path)),
    message: printable(mask.text(question.message)),
  })
  return async (question, signal, last) => {
    const why = isTerminal ? whyNotHere(question, person, last) : 'no terminal to ask on'
    if (why !== undefined || !asks) {
      const commands = commandsFor(question, state.runId ?? 'RUN', options).map((one) => `"${one}"`)
      const text = `${why ?? 'not asked here'}: ${state.items.label(question.path)} waits for ${commands.join(' or ')}`
      if (isTerminal && asks && last === undefined)
        return enqueue(async () => {
          follower.pause()
          const others = commandsFor(question, state.runId ?? 'RUN', options).map((one) => `  ${clean(one)}`)
          const lines = questionLines(context, shownOf(question), clean)
          tell(context, [...lines, `  ${clean(why ?? '')}; another person can answer:`, ...others])
          follower.continue()
          return undefined
        })
      // Also shown with --quiet: without an answer the run could wait forever.
      if (options.quiet) tell(context, text)
      else follower.say(text)
      return undefined
    }
    return enqueue(async () => {
      if (signal.aborted) return undefined
      follower.pause()
      const asked = shownOf(question)
      try {
        if (last?.kind === 'refused') tell(context, `  ${clean(last.message)}`)
        const given = await askOnTerminal(context, asked, signal, clean)
        return given && { ...given, ...person }
      } finally {
        follower.continue()
      }
    })
  }
}

/** Runs one task at a time, so that an answer cannot be given to the wrong question. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work, work)
    last = mine.catch(() => {})
    return mine
  }
}

/** The commands that answer a question from elsewhere. */
function commandsFor({ path, schema }: Question, runId: string, options: ViewOptions): readonly string[] {
  const verbs = schema === undefined ? ['approve', 'reject'] : ['answer']
  const set = schema === undefined ? '' : '--set name=value'
  return verbs.map((verb) =>
    [`opsbook ${verb}`, runId, shellWord(path), set, locationFlags(options)].filter(Boolean).join(' '),
  )
}

/** Why the user of this process is not asked. Undefined: they are. */
function whyNotHere(
  question: AskedHere,
  { by }: Pick<GivenAnswer, 'by'>,
  last: AnswerDecision | undefined,
): string | undefined {
  if (last?.kind === 'counted')
    return `${countOf(last.answers)} of ${neededFor(question)}; another person must answer`
  if (last?.kind === 'refused' && question.from) return last.message
  return whyNotAllowed(question, { by }, question.starters)
}

/**
 * Asks the user at the terminal, and records the system user as the approver. Undefined: the input was closed, or the
 * question no longer needs an answer.
 */
async function askOnTerminal(
  context: CommandContext,
  question: Question,
  signal: AbortSignal,
  clean: (text: string) => string,
): Promise<Pick<GivenAnswer, 'approved' | 'value' | 'comment'> | undefined> {
  const { io } = context
  const { schema, timeoutMs = Number.POSITIVE_INFINITY } = question
  const endMs = Date.now() + timeoutMs
  // Timers of this process can be a little early for a deadline that another one watches.
  const isLate = (): boolean => Date.now() >= endMs - 100
  tell(context, questionLines(context, question, clean))
  // Not in raw mode: the terminal edits the line, and Ctrl-C stays a signal.
  const lines = createInterface({ input: io.stdin, terminal: false })
  const prompt = async (text: string): Promise<string | undefined> => {
    const next = nextLine(lines, signal)
    io.stderr.write(text)
    return next
  }
  const say = (text: string): void => tell(context, `  ${printableLine(text)}`)
  try {
    const given =
      schema === undefined ? await askYesOrNo(prompt, say) : await askFields(question, prompt, say)
    if (given) return given
    tell(context, ['', `  ${signal.aborted ? clean(settledText(signal, isLate())) : staysOpen}`])
    return undefined
  } finally {
    lines.close()
    // An open input would keep the process alive.
    io.stdin.pause()
  }
}

/** A question, and the calls that a yes permits. */
function questionLines(
  { io, errorPaint }: CommandContext,
  { path, message, timeoutMs, covers, from }: Question,
  clean: (text: string) => string,
): readonly string[] {
  const time =
    timeoutMs === undefined ? '' : ` (within ${formatDuration(Math.ceil(timeoutMs / 1000) * 1000)})`
  return [
    '',
    `${errorPaint.yellow('?')} ${errorPaint.bold(path)} asks${time}:`,
    ...indented(message, io),
    ...(from ? [`  ${clean(neededText(from))}`] : []),
    ...(covers ? coversLines(covers).map((line) => `  ${clean(line)}`) : []),
  ]
}

async function askYesOrNo(
  prompt: Prompt,
  say: (text: string) => void,
): Promise<Pick<GivenAnswer, 'approved' | 'comment'> | undefined> {
  for (;;) {
    const line = await prompt('  yes or no, then a comment if you like: ')
    if (line === undefined) return undefined
    const answer = readTypedAnswer(line)
    if (answer) return answer
    say(`"${line}" is neither yes nor no`)
  }
}

const staysOpen = 'no answer here; the question stays open'

/** Who answered from another terminal, and how; or why the question needs no answer any more. */
function settledText({ reason }: AbortSignal, isLate: boolean): string {
  if (reason === 'open') return staysOpen
  if (!isAnswer(reason) || reason.by.source === 'timeout')
    return isLate ? 'the time for an answer is over' : 'the question was withdrawn'
  const { by } = reason
  const said = saidText(reason)
  const why = said === undefined ? '' : `: ${said}`
  return `answered elsewhere: ${answeredWord(reason)} by ${answererText(by)}${why}`
}

function isAnswer(reason: unknown): reason is GivenAnswer {
  return typeof reason === 'object' && reason !== null && 'approved' in reason
}

/** Wraps between words, where the terminal would break inside them. */
function indented(text: string, { stderr }: Io): readonly string[] {
  const width = Math.max(8, (stderr.columns || 80) - 3)
  return text.split('\n').flatMap((line) => wrap(line, width).map((part) => `  ${part}`))
}

function nextLine(lines: Interface, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (line?: string): void => {
      lines.off('line', end)
      lines.off('close', onEnd)
      signal.removeEventListener('abort', onEnd)
      resolve(line)
    }
    const onEnd = (): void => end()
    if (signal.aborted) return end()
    lines.once('line', end)
    lines.once('close', onEnd)
    signal.addEventListener('abort', onEnd)
  })
}

const words: Readonly<Record<string, boolean>> = { y: true, yes: true, n: false, no: false }

/** `y`, `no`, `yes it is fine`; anything else is no answer. */
export function readTypedAnswer(line: string): Pick<GivenAnswer, 'approved' | 'comment'> | undefined {
  const [, word = '', rest = ''] = /^\s*([a-z]+)\b[\s,:;.!-]*(.*?)\s*$/is.exec(line) ?? []
  const approved = words[word.toLowerCase()]
  if (approved === undefined) return undefined
  return rest === '' ? { approved } : { approved, comment: rest }
}
