import type { AnswerAct } from '../../acts/answer/index.ts'
import type { ControlAct } from '../../acts/control/index.ts'
import type { DecideAct } from '../../acts/decide/index.ts'
import type { PlanResumeAct, ResumeAct } from '../../acts/resume/index.ts'
import type { StartAct } from '../../acts/start/index.ts'
import type { TriggersAct } from '../../acts/triggers/index.ts'
import { isJsonObject, type JsonObject, type JsonSchema } from '../../core/json.ts'
import { fieldsOf, fieldsOfAnswer } from '../form-fields.ts'
import type { Sent } from './acts.ts'
import { ConsoleError } from './problem.ts'
import { type FormFields, readForm } from './read-form.ts'

/** Reads the form of an answer: `set:NAME` are texts, `choice:NAME` positions among the choices. */
export function readAnswerForm(body: unknown): Sent<AnswerAct> {
  const form = createReader(body)
  const given = form.one('do')
  if (given !== 'approve' && given !== 'reject' && given !== 'answer') throw unreadable('do')
  const said = {
    step: form.one('step') ?? lacks('step'),
    shown: form.one('shown') ?? lacks('shown'),
    approved: given !== 'reject',
    ...form.comment(),
  }
  if (given !== 'answer') return said
  const fields = readFields(form)
  return {
    ...said,
    value: (asked) =>
      asked && {
        ...(isJsonObject(asked.default) ? asked.default : {}),
        ...readForm('answer', fieldsOfAnswer(asked), fields, '.'),
      },
  }
}

/** Reads the form of a control request. */
export function readControlForm(body: unknown): Omit<Sent<ControlAct>, 'kind'> {
  const form = createReader(body)
  return { shown: readPosition(form.one('shown') ?? lacks('shown')), ...form.comment() }
}

/** Reads the form of a run to plan. */
export function readPlanForm(body: unknown, runbook: string): StartAct {
  return { runbook, inputs: readInputs(createReader(body)) }
}

/** Reads the form of a run to start. */
export function readStartForm(body: unknown, runbook: string): StartAct {
  const form = createReader(body)
  return { runbook, shown: form.one('shown') ?? lacks('shown'), inputs: readInputs(form) }
}

/** Reads the form of an act on automatic starts. */
export function readSwitchForm(body: unknown): Sent<TriggersAct> & { readonly shown: string } {
  const form = createReader(body)
  return { shown: form.one('shown') ?? lacks('shown'), ...form.comment() }
}

/** Reads the form of a decision on an unknown outcome. */
export function readDecideForm(body: unknown): Omit<Sent<DecideAct>, 'step'> {
  const form = createReader(body)
  const decision = form.one('do')
  if (decision === undefined)
    throw new ConsoleError({ status: 400, code: 'InvalidInput', detail: 'say what you have found out' })
  if (decision !== 'succeeded' && decision !== 'failed' && decision !== 'retry') throw unreadable('do')
  const fields = readFields(form)
  // A choice may be made by the page. What was typed means something.
  if (decision !== 'succeeded' && Object.values(fields.texts).some((text) => text.trim() !== ''))
    throw new ConsoleError({
      status: 400,
      code: 'InvalidInput',
      detail: `outputs need the decision "succeeded", not "${decision}"`,
      hint: 'leave the fields of the answer empty, or say that it was done',
    })
  return {
    shown: form.one('shown') ?? lacks('shown'),
    decision,
    ...(decision === 'succeeded'
      ? { outputs: (action) => presentIn(readForm('output', fieldsOf(action?.output), fields)) }
      : {}),
    ...form.comment(),
  }
}

/** Reads the form of a resume to compare: `step:PATH` is `repeat`, `keep`, `skip` or nothing. */
export function readCompareForm(body: unknown): PlanResumeAct {
  const form = createReader(body)
  const said = form.named('step:').map(([path, [what = '']]) => [path, what] as const)
  const wrong = said.find(([, what]) => !['', 'repeat', 'keep', 'skip'].includes(what))
  if (wrong) throw unreadable(`step:${wrong[0]}`)
  const pathsOf = (what: string): readonly string[] =>
    said.flatMap(([path, one]) => (one === what ? [path] : []))
  const from = form.one('from')
  return {
    ...(form.one('newest') === undefined ? {} : { newest: true }),
    ...(from === undefined ? {} : { from }),
    repeat: pathsOf('repeat'),
    keep: pathsOf('keep'),
    skip: pathsOf('skip'),
    inputs: readInputs(form),
  }
}

/** Reads the form of a resume. */
export function readResumeForm(body: unknown): Sent<ResumeAct> {
  return { ...readCompareForm(body), shown: createReader(body).one('shown') ?? lacks('shown') }
}

/** The inputs that the fields of the form give. */
function readInputs(form: FormReader): (schema: JsonSchema | undefined) => JsonObject {
  const fields = readFields(form)
  return (schema) => readForm('input', fieldsOf(schema), fields)
}

/** Nothing typed is no answer, which `opsbook decide` accepts where nothing reads it. */
function presentIn(outputs: JsonObject): JsonObject | undefined {
  return Object.keys(outputs).length === 0 ? undefined : outputs
}

function readFields(form: FormReader): FormFields {
  const choices = form
    .named('choice:')
    // The empty text is that of no choice.
    .map(([name, texts]) => [name, texts.filter((text) => text !== '').map(readPosition)] as const)
  const texts = form.named('set:').map(([name, [text = '']]) => [name, text] as const)
  return { texts: Object.fromEntries(texts), choices: Object.fromEntries(choices) }
}

interface FormReader {
  /** Undefined: it is not there, or empty. */
  one(name: string): string | undefined
  comment(): { readonly comment?: string }
  /** The fields whose names begin with this, without it. */
  named(begin: string): readonly (readonly [name: string, texts: readonly string[]])[]
}

function createReader(body: unknown): FormReader {
  const fields = new Map(Object.entries((body ?? {}) as Readonly<Record<string, unknown>>))
  const all = (name: string): readonly string[] => [fields.get(name) ?? []].flat().map(String)
  const one = (name: string): string | undefined => {
    const [text, ...others] = all(name)
    if (others.length > 0) throw unreadable(name)
    return text === '' ? undefined : text
  }
  return {
    one,
    comment() {
      const comment = one('comment')
      return comment === undefined ? {} : { comment }
    },
    named: (begin) =>
      [...fields.keys()].flatMap((name) =>
        name.startsWith(begin) ? [[name.slice(begin.length), all(name)] as const] : [],
      ),
  }
}

function readPosition(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw unreadable(text)
  return Number(text)
}

function lacks(name: string): never {
  throw new ConsoleError({ status: 400, code: 'InvalidUsage', detail: `the form lacks "${name}"` })
}

function unreadable(name: string): ConsoleError {
  return new ConsoleError({ status: 400, code: 'InvalidUsage', detail: `the form cannot be read: ${name}` })
}
