import type { ConnectionLimit, InputProblem, RateLimit } from '../action.ts'
import {
  type Evaluated,
  evaluateTemplate,
  type Known,
  type KnownScope,
  known,
  knownMap,
  partsAt,
  templateEntriesOf,
  unknown,
} from '../expressions/known.ts'
import type { Template } from '../expressions/tree.ts'
import { isJsonObject, type JsonSchema, type JsonValue, withoutUndefined } from '../json.ts'
import { windowsOf } from '../pacing/rate-windows.ts'
import type { ListenPlan, Plan, UsesPlan } from '../plan/plan.ts'
import { withSecrets } from '../plan/secrets.ts'
import { settled } from '../plan/settings.ts'
import { claimFileName, fileNameProblem, fileTakenText } from '../text/index.ts'
import { parseDuration } from '../times/duration.ts'
import { previewTolerance, previewValue } from './preview-value.ts'
import { nothing, type Task } from './shortest-time.ts'
import {
  type ArgumentPreview,
  type BatchPreview,
  type Calls,
  exactly,
  type LimitPreview,
  noCalls,
  type Risk,
  type RunbookPreview,
  type UsesPreview,
  type ValuePreview,
} from './step-preview.ts'
import {
  addProblem,
  type PreviewAction,
  type WalkContext,
  type Walked,
  type WalkedBody,
} from './walk-context.ts'

/** The call of an action: its arguments, how many calls it takes, how long they take at least. */
export function walkUses(uses: UsesPlan, scope: KnownScope, context: WalkContext): WalkedBody {
  const { name, safety } = uses.action
  context.calls?.add({ path: context.path, uses, scope })
  const action = context.actions.get(name)
  if (!action && !context.notLoaded.has(name)) addProblem(context, '', `there is no action ${name}`)
  const input = evaluateTemplate(uses.with, scope)
  if (action) checkInput(uses, action, input, scope, context)
  const saveAs = uses.saveAs && previewValue(uses.saveAs, scope)
  if (saveAs) checkFile(saveAs, context)
  const batch = previewBatch(uses, scope)
  const child = walkChild(uses, scope, context)
  const ofAction = action?.sensitiveOutput ?? []
  const sensitive = (uses.action.sensitiveOutput ?? []).filter((field) => !ofAction.includes(field))
  const risk: Risk = action?.isLocal ? 'local' : safety
  const calls = risk === 'local' ? noCalls : countCalls(uses, action, batch)
  const limit = limitOf(action, uses, context)
  const timeout = uses.attemptTimeoutMs ?? (risk === 'local' ? undefined : action?.defaultTimeoutMs)
  const preview: UsesPreview = {
    action: name,
    risk,
    ...(uses.connection === undefined ? {} : { connection: uses.connection }),
    ...(limit === undefined ? {} : { limits: previewLimit(limit) }),
    arguments: previewArguments(uses, action, scope),
    ...withoutUndefined({ batch, save_as: saveAs }),
    ...(sensitive.length === 0 ? {} : { sensitive }),
    retry: {
      attempts: settled(uses.retry, 'attempts'),
      ...withoutUndefined({ errors: uses.retry.errors, except: uses.retry.except }),
      ...(uses.retryWhen === undefined ? {} : { when: uses.retryWhen.source }),
    },
    tolerate: previewTolerance(uses.tolerate),
    ...(timeout === undefined ? {} : { attempt_timeout_ms: timeout }),
    ...(uses.repeat === undefined
      ? {}
      : {
          repeat: {
            until: uses.repeat.until.source,
            interval_ms: settled(uses.repeat, 'intervalMs'),
            max_wait_ms: settled(uses.repeat, 'maxWaitMs'),
          },
        }),
    ...(uses.listen === undefined ? {} : { listen: listenPreview(uses.listen) }),
    expect: (uses.expect ?? []).map(({ that }) => that.source),
    secrets: [...new Set((uses.secrets ?? []).map((secret) => secret.name))],
    ...(child === undefined ? {} : { child: child.preview }),
  }
  const connection = uses.connection === undefined ? {} : { connection: uses.connection }
  return {
    preview: { uses: preview, steps: [], finally: [] },
    task:
      child?.task ??
      (risk === 'local' ? waitOf(uses, scope, context) : callsOf(name, uses, limit, calls, context)),
    usage: child?.usage ?? (risk === 'local' ? [] : [{ action: name, ...connection, risk, calls }]),
    ...(name === 'core/set' ? { outputs: input } : {}),
    inner: {},
  }
}

function listenPreview({ where, ...source }: ListenPlan): UsesPreview['listen'] & object {
  return { ...source, ...(where === undefined ? {} : { where: where.source }) }
}

function previewLimit({ per, perSecond, perMinute, perDay }: RateLimit | ConnectionLimit): LimitPreview {
  return {
    per,
    ...withoutUndefined({ per_second: perSecond, per_minute: perMinute, per_day: perDay }),
  }
}

/** How many items there are is often known before the items are. */
function previewBatch(uses: UsesPlan, scope: KnownScope): BatchPreview | undefined {
  const { batch } = uses.action
  if (batch === undefined) return undefined
  const { argument, size } = batch
  const [items] = partsAt(uses.with, [argument])
  const isWhole = items === uses.with
  return { argument, size, items: items === undefined || isWhole ? null : countItems(items, scope) }
}

function countItems(template: Template, scope: KnownScope): number | null {
  if (template.kind === 'list') return template.items.length
  const evaluated = evaluateTemplate(template, scope)
  return evaluated.state === 'known' && Array.isArray(evaluated.value) ? evaluated.value.length : null
}

function countCalls(
  uses: UsesPlan,
  action: PreviewAction | undefined,
  batch: BatchPreview | undefined,
): Calls {
  const once = batch === undefined ? exactly(1) : groupsOf(batch, action)
  return uses.repeat === undefined ? once : { least: once.least, most: null }
}

function groupsOf({ argument, size, items }: BatchPreview, action: PreviewAction | undefined): Calls {
  if (items !== null) return exactly(Math.ceil(items / size))
  const properties = action?.input['properties'] as Readonly<Record<string, JsonSchema>> | undefined
  const least = Number(properties?.[argument]?.['minItems'] ?? 0) > 0 ? 1 : 0
  return { least, most: null }
}

/** What limits the calls: the action itself, or the HTTP connection that they go over. */
function limitOf(
  action: PreviewAction | undefined,
  { connection }: UsesPlan,
  context: WalkContext,
): RateLimit | ConnectionLimit | undefined {
  if (action?.limit !== undefined || action?.overHttp === undefined || connection === undefined)
    return action?.limit
  return context.countedFor(connection).limit
}

function callsOf(
  name: string,
  { connection }: UsesPlan,
  limit: RateLimit | ConnectionLimit | undefined,
  { least }: Calls,
  context: WalkContext,
): Task {
  if (!context.actions.has(name) || least === 0) return nothing
  const windows = limit === undefined ? [] : windowsOf(limit)
  const isOwn = context.actions.get(name)?.limit !== undefined
  if (limit?.per === 'connection')
    return {
      kind: 'calls',
      limit: `connection ${connection}${isOwn ? ` ${name}` : ''}`,
      windows,
      count: least,
    }
  const { account, key } = context.countedFor(connection)
  const counted = limit?.per === 'app_key' ? `${account}/${key}` : account
  return { kind: 'calls', limit: `${counted}/${name}`, windows, count: least }
}

/** The only action that takes time without a call, and does not wait for a person. */
function waitOf({ action, with: given }: UsesPlan, scope: KnownScope, context: WalkContext): Task {
  if (action.name !== 'core/wait') return nothing
  const input = evaluateTemplate(given, scope)
  if (input.state !== 'known' || !isJsonObject(input.value)) return nothing
  const { for: time, until } = input.value
  if (typeof time === 'string') return { kind: 'wait', ms: parseDuration(time) ?? 0 }
  if (typeof until !== 'string') return nothing
  return { kind: 'until', ms: Math.max(0, context.millisecondsUntil(until) || 0) }
}

/** Checks that a file which is known before the run can be written, and that no other call writes it. */
function checkFile(file: ValuePreview, context: WalkContext): void {
  if (file.state === 'failed') addProblem(context, '.save-as', `cannot be evaluated: ${file.message}`)
  if (file.state !== 'known') return
  const name = String(file.value)
  const problem = fileNameProblem(name)
  const holder =
    problem === undefined && context.isCertain ? claimFileName(context.files, name, context.path) : undefined
  const text = holder === undefined ? problem : fileTakenText(holder)
  if (text !== undefined) addProblem(context, '.save-as', `"${name}" ${text}`)
}

/** Checks arguments that are known before the run against the action's schema and its own rules. */
function checkInput(
  uses: UsesPlan,
  action: PreviewAction,
  input: Evaluated,
  scope: KnownScope,
  context: WalkContext,
): void {
  for (const { path, message } of forbiddenCalls(uses, action, scope))
    addProblem(context, path === '' ? '' : `.with.${path}`, message)
  if (input.state === 'unknown') return
  if (input.state === 'failed') {
    addProblem(context, '.with', `cannot be evaluated: ${input.message}`)
  } else if (!isJsonObject(input.value)) addProblem(context, '.with', 'is not a map')
  else {
    // A word stands where a secret will, so that what is required is there.
    const { secrets = [] } = uses
    const whole = withSecrets(input.value, secrets, () => 'secret')
    for (const { path, message } of action.checkInput?.(whole) ?? []) {
      const isSecret = secrets.some((secret) => secret.path.join('.') === path)
      if (!isSecret) addProblem(context, path === '' ? '.with' : `.with.${path}`, message)
    }
  }
}

/** What the configuration forbids, judged by the arguments that are known. */
function forbiddenCalls(
  { with: given }: UsesPlan,
  { forbidden }: PreviewAction,
  scope: KnownScope,
): readonly InputProblem[] {
  if (!forbidden) return []
  const values = new Map<string, JsonValue>()
  const open = new Set<string>()
  for (const [name, template] of argumentsOf(given)) {
    const evaluated = evaluateTemplate(template, scope)
    if (evaluated.state === 'known') values.set(name, evaluated.value)
    else open.add(name)
  }
  return forbidden(Object.fromEntries(values), (name) => !open.has(name) && !open.has(''))
}

/** Each argument with what is known about it. Secrets stand by name: the plan has no values of them. */
function previewArguments(
  { with: given, secrets = [] }: UsesPlan,
  action: PreviewAction | undefined,
  scope: KnownScope,
): readonly ArgumentPreview[] {
  const { sensitiveInput = [], secretNames = [], optionalSecretNames = [] } = action ?? {}
  const sensitive = new Set(
    [...sensitiveInput, ...secretNames, ...optionalSecretNames].map((pattern) => pattern.split('.')[0]),
  )
  const values = argumentsOf(given).flatMap(([name, template]): readonly ArgumentPreview[] => {
    return sensitive.has(name) && template.kind === 'literal' && isEmpty(template.value)
      ? []
      : [{ name, ...previewValue(template, scope) }]
  })
  const fromSecrets = secrets.map(
    ({ path, name: secret }): ArgumentPreview => ({ name: path.join('.'), state: 'secret', secret }),
  )
  return [...values, ...fromSecrets]
}

/** The arguments one by one; all of them under an empty name where they are not told apart. */
function argumentsOf(template: Template): readonly (readonly [string, Template])[] {
  return template.kind === 'object' || template.kind === 'literal'
    ? templateEntriesOf(template)
    : [['', template]]
}

/** What is left of a map whose every value was a secret. */
function isEmpty(value: JsonValue): boolean {
  return isJsonObject(value) && Object.values(value).every(isEmpty)
}

/** Walks the runbook that a `core/run` step runs, with what is known of its inputs. */
function walkChild(
  uses: UsesPlan,
  scope: KnownScope,
  context: WalkContext,
): Walked<RunbookPreview> | undefined {
  const child = uses.runbook === undefined ? undefined : context.children[uses.runbook]
  if (child === undefined) return undefined
  const inputs = childInputs(child, uses, scope)
  const problems = inputProblems(child, uses, scope, context)
  for (const { path, message } of problems)
    addProblem(context, path === '' ? '.with.inputs' : `.with.inputs.${path}`, message)
  // What is wrong inside of it because of such an input has been told.
  return context.walkRunbook(
    child,
    inputs,
    problems.length === 0 ? context : { ...context, isCertain: false },
  )
}

/** What is wrong with the inputs that are known, whatever the others will be. */
function inputProblems(
  child: Plan,
  uses: UsesPlan,
  scope: KnownScope,
  { checkInputs }: WalkContext,
): readonly InputProblem[] {
  if (!checkInputs) return []
  const [given] = partsAt(uses.with, ['inputs'])
  const whole = given === undefined ? undefined : evaluateTemplate(given, scope)
  if (whole === undefined) return checkInputs(child, {}).problems
  if (whole.state === 'known')
    return isJsonObject(whole.value) ? checkInputs(child, whole.value).problems : []
  if (given?.kind !== 'object') return []
  const evaluated = given.entries.map(
    ([name, template]) => [name, evaluateTemplate(template, scope)] as const,
  )
  const values = evaluated.flatMap(([name, one]) =>
    one.state === 'known' ? [[name, one.value] as const] : [],
  )
  const open = evaluated.flatMap(([name, one]) => (one.state === 'known' ? [] : [name]))
  return checkInputs({ ...child, inputs: withoutOpen(child.inputs ?? {}, open) }, Object.fromEntries(values))
    .problems
}

const partial = new WeakMap<JsonSchema, Map<string, JsonSchema>>()

/** What the schema says of each input alone: what it says of several can depend on one that is not known yet. */
function withoutOpen(schema: JsonSchema, open: readonly string[]): JsonSchema {
  const { properties = {}, patternProperties = {}, additionalProperties = true, definitions, $defs } = schema
  const made = partial.get(schema) ?? new Map<string, JsonSchema>()
  partial.set(schema, made)
  const key = JSON.stringify(open)
  // One object for each: a validator is compiled once for a schema, and a loop has many items.
  const known = made.get(key) ?? {
    type: 'object',
    properties,
    patternProperties,
    additionalProperties,
    ...(definitions === undefined ? {} : { definitions }),
    ...($defs === undefined ? {} : { $defs }),
    required: [schema['required'] ?? []].flat().filter((name) => !open.includes(String(name))),
  }
  made.set(key, known)
  return known
}

/** The inputs of a child: those that the step gives, and the defaults of the others. */
function childInputs(child: Plan, uses: UsesPlan, scope: KnownScope): Known {
  const [given] = partsAt(uses.with, ['inputs'])
  const defaults = defaultsOf(child)
  if (given === undefined) return knownMap(defaults)
  const inputOf = (template: Template): Known => {
    const evaluated = evaluateTemplate(template, scope)
    return evaluated.state === 'known' ? known(evaluated.value) : unknown
  }
  if (given.kind !== 'expression') {
    const fields = templateEntriesOf(given).map(([name, template]) => [name, inputOf(template)] as const)
    return knownMap({ ...defaults, ...Object.fromEntries(fields) })
  }
  const whole = inputOf(given)
  if (whole.kind !== 'value' || !isJsonObject(whole.value)) return unknown
  const fields = Object.entries(whole.value).map(([name, value]) => [name, known(value)] as const)
  return knownMap({ ...defaults, ...Object.fromEntries(fields) })
}

function defaultsOf({ inputs }: Plan): Readonly<Record<string, Known>> {
  const properties = Object.entries((inputs?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>)
  return Object.fromEntries(
    properties.flatMap(([name, property]) => {
      const otherwise = isJsonObject(property) ? property['default'] : undefined
      return otherwise === undefined ? [] : [[name, known(otherwise as JsonValue)] as const]
    }),
  )
}
