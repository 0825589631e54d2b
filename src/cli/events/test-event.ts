/** `opsbook events test`: what an event would start, without starting it. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as streamText } from 'node:stream/consumers'
import type { JsonValue } from '../../core/json.ts'
import type { Candidate, IncomingEvent } from '../../core/triggers/offer.ts'
import { triggerText } from '../../core/triggers/trigger-text.ts'
import type { Hook } from '../../triggers/hooks/hook.ts'
import { mapBody } from '../../triggers/hooks/read-delivery.ts'
import { makeOffer } from '../../triggers/offers/make-offer.ts'
import { withoutSecrets } from '../../triggers/offers/without-secrets.ts'
import { CommandError } from '../command-error.ts'
import type { EventTestFlags } from '../commands/events.ts'
import { readConfiguration } from '../configuration/index.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { withEventBook } from '../engine/with-event-book.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { loadActions } from '../load-actions.ts'
import { publicJson } from '../run/public-json.ts'
import { loadRunbooks } from '../serve/load-runbooks.ts'
import { describeHooks } from '../serve/read-hooks.ts'
import { decisionLines, indented } from './show-event.ts'

export async function testEvent(
  context: CommandContext,
  named: string,
  flags: EventTestFlags,
): Promise<ExitCode> {
  const hook = chooseHook(describeHooks(await readConfiguration(context.io)), flags.hook)
  const event = toEvent(hook, await readBody(flags.event, context.io))
  const actions = await loadActions(context.io)
  const runbooks = await loadRunbooks([named], actions, context)
  const offer = makeOffer(event, { runbooks, actions })
  return withEventBook(context, flags, async (book) => {
    const decided = await book.previewOffer(offer)
    const decisions = decided.map((decision, index) => {
      // The run that would be started has no name yet.
      const { run_id, ...rest } = decision
      const isStart = decision.because === undefined
      return {
        ...rest,
        ...(isStart || run_id === undefined ? {} : { run_id }),
        would_start: isStart,
        ...inputsOf(offer.candidates[index]),
      }
    })
    if (flags.output === 'json') {
      answerJson(
        context,
        publicJson({ hook: event.hook, event_id: event.id, event: offer.event.body, decisions }),
      )
      return exitCodes.succeeded
    }
    const { paint } = context
    if (decisions.length === 0) answer(context, `${named} has no trigger for events of the hook ${hook.name}`)
    for (const { would_start, inputs, ...decision } of decisions)
      answer(context, [
        ...(would_start
          ? [
              `${paint.bold(decision.runbook)} ${triggerText(decision.trigger)}  ${paint.green('would start a run')}`,
            ]
          : decisionLines(decision, paint)),
        ...(inputs === undefined ? [] : [paint.dim('  inputs:'), ...indented(inputs)]),
      ])
    return exitCodes.succeeded
  })
}

function inputsOf(candidate: Candidate | undefined): { readonly inputs?: JsonValue } {
  return candidate && 'inputs' in candidate ? { inputs: withoutSecrets(candidate.inputs) } : {}
}

/** Without any hook the body is what triggers see. */
function chooseHook(hooks: readonly Hook[], named: string | undefined): Hook {
  if (named === undefined) {
    const [only = { name: 'test', event: 'incident' }, ...more] = hooks
    if (more.length === 0) return only
  }
  const hook = hooks.find(({ name }) => name === named)
  if (hook) return hook
  const known = hooks.map(({ name }) => name).join(', ')
  const message = named === undefined ? 'there are several hooks' : `there is no hook "${named}"`
  throw new CommandError(exitCodes.usage, message, {
    hints: [known === '' ? 'opsbook.yaml has no hooks' : `name one with --hook: ${known}`],
  })
}

function toEvent(hook: Hook, body: JsonValue): IncomingEvent {
  const read = mapBody(hook, 'test', body, Date.now())
  if ('event' in read) return read.event
  throw new CommandError(exitCodes.usage, `the event would be refused: ${read.refusal}`)
}

async function readBody(file: string, io: Io): Promise<JsonValue> {
  const text = await readText(file, io)
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    throw new CommandError(exitCodes.usage, `${file === '-' ? 'stdin' : file} does not hold JSON`)
  }
}

async function readText(file: string, io: Io): Promise<string> {
  if (file === '-') return streamText(io.stdin)
  try {
    return await readFile(resolve(io.workingDirectory, file), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(exitCodes.usage, `${file} cannot be read (${code})`)
  }
}
