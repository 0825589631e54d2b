import { readdirSync, readFileSync } from 'node:fs'
import { Ajv, type ErrorObject } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createActions, defineAction } from '../../../src/actions/index.ts'
import { builtinActions } from '../../../src/core/builtins/definitions.ts'
import type { JsonSchema } from '../../../src/core/json.ts'
import { editorSchema } from '../../../src/load/editor-schema/index.ts'
import { loadRunbook } from '../../../src/load/index.ts'
import { sections } from '../../../src/load/language/index.ts'
import { type LoadCase, runbookOf } from '../load-case.ts'

const actions = createActions()
const schema = editorSchema(actions)

/** What is for people and no rule. */
const words = [
  'patternErrorMessage',
  'errorMessage',
  'enumDescriptions',
  'deprecationMessage',
  'doNotSuggest',
]

function createValidator(from: JsonSchema = schema): (value: unknown) => readonly string[] {
  // Strict: an unknown keyword is a mistake in the schema. Related keywords are apart in if and then.
  const ajv = new Ajv({ allErrors: true, strictTypes: false, strictRequired: false, allowUnionTypes: true })
  addFormats.default(ajv)
  ajv.addVocabulary(words)
  const validate = ajv.compile(from)
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(describeError))
}

function describeError({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath} ${message} ${JSON.stringify(params)}`
}

const problemsOf = createValidator()

describe('what the loader takes, the editor takes', () => {
  const folder = new URL('../../cases/load/', import.meta.url)
  for (const file of readdirSync(folder)) {
    const cases = parse(readFileSync(new URL(file, folder), 'utf8')) as readonly LoadCase[]
    const sound = cases.filter((one) => {
      const readRunbook = (path: string): string | undefined => one.files?.[path]
      return loadRunbook(runbookOf(one), actions, { file: 'main.yaml', readRunbook }).plan !== undefined
    })
    it.runIf(sound.length > 0).each(sound)(`${file}: $name`, (one) => {
      expect(problemsOf(parse(runbookOf(one)))).toEqual([])
    })
  }

  const runbooks = new URL('../../../runbooks/', import.meta.url)
  it.each(readdirSync(runbooks).filter((file) => !file.endsWith('.test.yaml')))('runbooks/%s', (file) => {
    expect(problemsOf(parse(readFileSync(new URL(file, runbooks), 'utf8')))).toEqual([])
  })
})

describe('the runbook with every key', () => {
  const text = readFileSync(new URL('every-key.yaml', import.meta.url), 'utf8')

  it('is sound, for the loader and for the editor', () => {
    const { diagnostics } = loadRunbook(text, actions)
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(problemsOf(parse(text))).toEqual([])
  })

  it.each(Object.values(sections))('has every key of $name', ({ keys }) => {
    for (const { key } of keys) expect(text).toMatch(new RegExp(`(^|[ {-])${key}:`, 'm'))
  })
})

it('is draft-07, which editors know best, and small enough to load as one types', () => {
  expect(schema['$schema']).toBe('http://json-schema.org/draft-07/schema#')
  expect(JSON.stringify(schema).length).toBeLessThan(200_000)
})

it.each([...builtinActions, ...actions])(
  '$name is evaluated, and its arguments are checked',
  ({ name, sensitiveInput = [], secretNames = [] }) => {
    const step = (given: unknown): unknown => ({
      apiVersion: 'opsbook/v1',
      name: 'a',
      steps: [{ id: 'x', uses: name, with: given, 'save-as': 'x' }],
    })
    expect(problemsOf(step(3)).join('\n')).toContain('/steps/0/with')
    // What holds secrets is written out key by key.
    const whole = problemsOf(step('${{ inputs.all }}'))
    expect(whole.length > 0).toBe(sensitiveInput.length + secretNames.length > 0)
  },
)

interface Mistake {
  readonly name: string
  /** The keys of the step, beside its id. */
  readonly step: object
  /** Where the mistake is. */
  readonly at: string
}

const catalog = { uses: 'monit/tools/catalog', with: { target_locator: 'web-01' } }
const agent = { agent_name: 'a', instructions: 'b', card_url: 'https://example.com' }

const mistakes: readonly Mistake[] = [
  { name: 'a key that is not there', step: { ...catalog, timeouts: '3s' }, at: 'timeouts' },
  { name: 'an action that is not there', step: { uses: 'monit/tools/catalgo' }, at: '/uses' },
  { name: 'no kind', step: { name: 'x' }, at: 'uses' },
  { name: 'a key of another kind', step: { ...catalog, finally: [] }, at: 'finally' },
  { name: 'two kinds', step: { ...catalog, parallel: [] }, at: 'parallel' },
  {
    name: 'an argument that is missing',
    step: { uses: 'monit/tools/catalog', with: {} },
    at: 'target_locator',
  },
  { name: 'all of them missing', step: { uses: 'monit/tools/catalog' }, at: '"with"' },
  {
    name: 'an argument of another kind',
    step: { ...catalog, with: { target_locator: 3 } },
    at: '/with/target_locator',
  },
  {
    name: 'text in an argument that is a number',
    step: { ...catalog, with: { target_locator: 'x', account_id: 'a' } },
    at: '/with/account_id',
  },
  {
    name: 'text around an expression that is a number',
    step: { ...catalog, with: { target_locator: 'x', account_id: 'a ${{ 1 }}' } },
    at: '/with/account_id',
  },
  {
    name: 'a file that is missing',
    step: { uses: 'safari/session/export', with: { session_id: 'x' } },
    at: 'save-as',
  },
  { name: 'tolerance without items', step: { ...catalog, tolerate: 3 }, at: '/tolerate' },
  { name: 'a duration in words', step: { ...catalog, timeout: '5 minutes' }, at: '/timeout' },
  { name: 'a condition without its signs', step: { ...catalog, if: 'inputs.x' }, at: '/if' },
  { name: 'text around a condition', step: { ...catalog, if: '${{ inputs.x }} == 3' }, at: '/if' },
  { name: 'a duration as an argument', step: { uses: 'core/wait', with: { for: '3 s' } }, at: '/with/for' },
  {
    name: 'a word that is not listed',
    step: { uses: 'core/log', with: { message: 'x', level: 'loud' } },
    at: '/with/level',
  },
  {
    name: 'a secret written out',
    step: { uses: 'safari/a2a-agent/create', with: { ...agent, auth_config: { token: 'abc' } } },
    at: '/with/auth_config',
  },
  {
    name: 'an expression for the name of a secret in a form',
    step: { uses: 'core/http', with: { form: { key: { secret: '${{ secrets.token }}' } } } },
    at: '/with/form',
  },
  { name: 'an id that expressions cannot name', step: { ...catalog, id: 'web-01' }, at: '/id' },
]

describe('mistakes that an editor shows', () => {
  it.each(mistakes)('$name', ({ step, at }) => {
    const document = { apiVersion: 'opsbook/v1', name: 'a', steps: [{ id: 'x', ...step }] }
    expect(problemsOf(document).join('\n')).toContain(at)
  })

  it('keys of the other type of trigger', () => {
    const base = { apiVersion: 'opsbook/v1', name: 'a', steps: [{ id: 'x', ...catalog }] }
    expect(problemsOf({ ...base, triggers: [{ type: 'incident', cron: '* * * * *' }] }).join('\n')).toContain(
      'cron',
    )
    expect(
      problemsOf({ ...base, triggers: [{ type: 'schedule', every: '3s', hook: 'x' }] }).join('\n'),
    ).toContain('hook')
    expect(problemsOf({ ...base, triggers: [{ type: 'schedule' }] }).join('\n')).toContain('cron')
    expect(
      problemsOf({ ...base, triggers: [{ type: 'schedule', every: '3s', cron: 'x' }] }).join('\n'),
    ).toContain('every')
  })
})

it('an action of a project is evaluated with its arguments, whatever its schema is made of', () => {
  const open = defineAction({
    name: 'acme/ticket/open',
    summary: 'Open a ticket',
    safety: 'create',
    input: {
      type: 'object',
      required: ['title'],
      additionalProperties: false,
      properties: {
        title: { type: 'string', maxLength: 20 },
        size: {
          oneOf: [
            { type: 'integer' },
            { enum: ['small', 'large'] },
            { type: 'object', additionalProperties: false, properties: { megabytes: { type: 'integer' } } },
            { type: 'object', required: ['rows'], properties: { rows: { type: 'integer' } } },
          ],
        },
        owner: { $ref: '#/definitions/person' },
        token: { type: 'string' },
      },
      definitions: {
        person: {
          type: 'object',
          required: ['id'],
          properties: { id: { type: 'integer' }, boss: { $ref: '#/definitions/person' } },
        },
      },
    },
    output: { type: 'object' },
    sensitiveInput: ['token'],
    run: async () => ({}),
  })
  const check = createValidator(editorSchema(createActions([open])))
  const found = (given: object): string =>
    check({ apiVersion: 'opsbook/v1', name: 'a', steps: [{ id: 'x', uses: open.name, with: given }] }).join(
      '\n',
    )
  const sound = [
    {
      title: 'a',
      size: 3,
      owner: { id: 1, boss: { id: '${{ inputs.boss }}' } },
      token: '${{ secrets.token }}',
    },
    { title: 'a', size: { megabytes: '${{ inputs.size }}' } },
    {
      title: 'host ${{ inputs.a_long_name_of_an_input }}',
      size: '${{ inputs.size }}',
      owner: '${{ inputs.owner }}',
    },
  ]
  expect(sound.map(found)).toEqual(['', '', ''])
  expect(found({ size: 3 })).toContain('title')
  expect(found({ title: 'a', size: 'huge' })).toContain('/with/size')
  expect(found({ title: 'a', owner: { id: 1, boss: { id: 'x' } } })).toContain('/with/owner/boss/id')
  expect(found({ title: 'a', token: 'abc' })).toContain('/with/token')
})

it('values that are only known or suggested do not forbid others', () => {
  const step = {
    uses: 'rum/application/create',
    with: { application_name: 'x', type: 'miniprogram', team_id: 1 },
  }
  expect(problemsOf({ apiVersion: 'opsbook/v1', name: 'a', steps: [{ id: 'x', ...step }] })).toEqual([])
})
