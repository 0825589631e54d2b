/** `opsbook events test`: the decisions about an event, without recording or starting anything. */

import { buffer as streamBytes } from 'node:stream/consumers'
import type { JsonValue } from '../../core/json.ts'
import { type Candidate, type IncomingEvent, triggerText } from '../../core/triggers/index.ts'
import { publicJson } from '../../documents/index.ts'
import { loadActions } from '../../project/actions/index.ts'
import { readConfiguration } from '../../project/configuration/index.ts'
import { withEventStore } from '../../project/engine/index.ts'
import { describeHooks } from '../../project/hooks/index.ts'
import { CommandError, type EngineFlags } from '../../project/index.ts'
import { loadRunbooks } from '../../project/runbooks/index.ts'
import { evaluateEvent, withoutSecrets } from '../../triggers/evaluate/index.ts'
import { type Hook, mapBody, parseBody } from '../../triggers/webhooks/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import type { Io } from '../shared/io.ts'
import type { OutputFlags } from '../shared/options.ts'
import { readGivenBytes } from '../shared/read-given-file.ts'
import { decisionLines, indented } from './show-event.ts'

/** The flags of `events test`, as the parser hands them over. */
export interface EventTestFlags extends EngineFlags, OutputFlags {
  readonly event: string
  readonly hook?: string
}

export async function testEvent(
  context: CommandContext,
  named: string,
  flags: EventTestFlags,
): Promise<void> {
  const configured = describeHooks(await readConfiguration(context.io))
  // Without configured hooks, triggers see the body itself.
  const hook =
    configured.length === 0 && flags.hook === undefined
      ? { name: 'test', event: 'incident' }
      : chooseHook(configured, flags.hook)
  const event = toEvent(hook, (await readBody(flags.event, context.io)).value)
  const actions = await loadActions(context.io)
  const runbooks = await loadRunbooks([named], actions, context)
  const evaluation = evaluateEvent(event, { runbooks, actions })
  return withEventStore(context, flags, async (store) => {
    const decided = await store.previewEvent(evaluation)
    const decisions = decided.map((decision, index) => {
      // The run that would start has no id yet.
      const { run_id, ...rest } = decision
      const isStart = decision.because === undefined
      return {
        ...rest,
        ...(isStart || run_id === undefined ? {} : { run_id }),
        would_start: isStart,
        ...inputsOf(evaluation.candidates[index]),
      }
    })
    if (flags.output === 'json')
      return answerJson(
        context,
        publicJson({ hook: event.hook, event_id: event.id, event: evaluation.event.body, decisions }),
      )
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
  })
}

function inputsOf(candidate: Candidate | undefined): { readonly inputs?: JsonValue } {
  return candidate && 'inputs' in candidate ? { inputs: withoutSecrets(candidate.inputs) } : {}
}

/** The hook of this name, or the only one that is configured. */
export function chooseHook(hooks: readonly Hook[], named: string | undefined): Hook {
  const [only, ...more] = hooks
  const hook = named === undefined ? more.length === 0 && only : hooks.find(({ name }) => name === named)
  if (hook) return hook
  const known = hooks.map(({ name }) => name).join(', ')
  const missing = hooks.length === 0 ? 'no hook is configured' : 'there are several hooks'
  throw new CommandError('usage', named === undefined ? missing : `there is no hook "${named}"`, {
    hints: [known === '' ? 'opsbook.yaml has no hooks' : `name one with --hook: ${known}`],
  })
}

function toEvent(hook: Hook, body: JsonValue): IncomingEvent {
  const read = mapBody(hook, 'test', body, Date.now())
  if ('event' in read) return read.event
  throw new CommandError('usage', `the event would be refused: ${read.refusal}`)
}

/** The body of a delivery, from a file or from stdin, and its value as `serve` reads it. */
export async function readBody(
  file: string,
  io: Io,
): Promise<{ readonly body: string; readonly value: JsonValue }> {
  const bytes = file === '-' ? await streamBytes(io.stdin) : await readGivenBytes(file, io)
  const read = parseBody(bytes, file === '-' ? 'stdin' : file)
  if ('refusal' in read) throw new CommandError('usage', read.refusal)
  return { body: bytes.toString(), value: read.value }
}
