import { describe, expect, it } from 'vitest'
import { createActions, defineAction } from '../../src/actions/index.ts'
import type { CatchPlan, Plan, StepPlan } from '../../src/core/plan/plan.ts'
import { withSecrets } from '../../src/core/plan/secrets.ts'
import { secretsNeeded } from '../../src/core/preview/preview-plan.ts'
import { type LoadOptions, loadRunbook } from '../../src/load/index.ts'

const actions = createActions()
const head = 'apiVersion: opsbook/v1\nname: a\n'

function planOf(body: string, options: LoadOptions = {}): Plan {
  const { plan, diagnostics } = loadRunbook(head + body, actions, options)
  if (!plan) throw new Error(JSON.stringify(diagnostics, null, 1))
  return plan
}

/** Every step of a plan, however deep. */
function allSteps(plan: Pick<Plan, 'steps' | 'finally'>): readonly StepPlan[] {
  const caught = (entries: readonly CatchPlan[] = []): readonly StepPlan[] =>
    entries.flatMap(({ steps }) => steps)
  const within = (step: StepPlan): readonly StepPlan[] => {
    const inner =
      step.kind === 'block'
        ? [...step.steps, ...(step.finally ?? [])]
        : step.kind === 'parallel'
          ? step.branches
          : step.kind === 'choose'
            ? step.choices.flatMap(({ steps }) => steps)
            : []
    return [step, ...[...inner, ...caught(step.catch)].flatMap(within)]
  }
  return [...plan.steps, ...(plan.finally ?? [])].flatMap(within)
}

describe('which outputs are read', () => {
  const read = (body: string): readonly string[] =>
    allSteps(planOf(body))
      .filter(({ isRead }) => isRead)
      .map(({ id }) => id)
  const set = (id: string, more = ''): string => `  - { id: ${id}, uses: core/set, with: { x: 1 }${more} }\n`

  const readers: readonly (readonly [place: string, body: string])[] = [
    [
      'an argument',
      `steps:\n${set('a')}  - { id: z, uses: core/set, with: { x: "\${{ steps.a.outputs.x }}" } }\n`,
    ],
    [
      'text',
      `steps:\n${set('a')}  - { id: z, uses: core/log, with: { message: "x \${{ steps.a.outputs.x }}" } }\n`,
    ],
    ['a condition', `steps:\n${set('a')}${set('z', ', if: "${{ steps.a.outputs.x > 0 }}"')}`],
    ['a loop', `steps:\n${set('a')}${set('z', ', for-each: { items: "${{ [steps.a.outputs.x] }}" }')}`],
    [
      'an expectation',
      `steps:\n${set('a')}${set('z', ', expect: ["${{ outputs.x == steps.a.outputs.x }}"]')}`,
    ],
    ['outputs of a step', `steps:\n${set('a')}${set('z', ', outputs: { y: "${{ steps.a.outputs.x }}" }')}`],
    [
      'a file name',
      `steps:\n${set('a')}  - { id: z, uses: core/write, save-as: "\${{ steps.a.outputs.x }}", with: { content: a } }\n`,
    ],
    ['the outputs of the run', `steps:\n${set('a')}outputs: { y: "\${{ steps.a.outputs.x }}" }\n`],
    [
      'a catch',
      `steps:\n  - { id: b, steps: [{ id: a, uses: core/set, with: { x: 1 } }], catch: [{ errors: [all], steps: [{ id: z, uses: core/set, with: { y: "\${{ default(steps.a.outputs.x, 0) }}" } }] }] }\n`,
    ],
    [
      'a finally',
      `steps:\n${set('a')}finally: [{ id: z, uses: core/set, with: { y: "\${{ default(steps.a.outputs.x, 0) }}" } }]\n`,
    ],
    ['a macro', `steps:\n${set('a')}outputs: { y: "\${{ [1].map(n, n + steps.a.outputs.x) }}" }\n`],
    [
      'has',
      `steps:\n${set('a', ', continue-on-error: true')}outputs: { y: "\${{ has(steps.a.outputs) }}" }\n`,
    ],
    ['the whole step', `steps:\n${set('a')}outputs: { y: "\${{ steps.a }}" }\n`],
    ['brackets', `steps:\n${set('a')}outputs: { y: "\${{ steps['a']['outputs']['x'] }}" }\n`],
    [
      'a computed name',
      `inputs: { type: object, required: [n], properties: { n: { type: string } } }\nsteps:\n${set('a')}outputs: { y: "\${{ steps[inputs.n] }}" }\n`,
    ],
    ['all steps', `steps:\n${set('a')}outputs: { y: "\${{ json(steps) }}" }\n`],
  ]
  it.each(readers)('by %s', (_, body) => {
    expect(read(body)).toContain('a')
  })

  const others: readonly (readonly [what: string, body: string])[] = [
    ['nothing', `steps:\n${set('a')}${set('z')}`],
    ['its status', `steps:\n${set('a')}outputs: { y: "\${{ steps.a.status }}" }\n`],
    [
      'its error',
      `steps:\n${set('a', ', continue-on-error: true')}outputs: { y: "\${{ default(steps.a.error.code, '') }}" }\n`,
    ],
    [
      'its own outputs',
      `steps:\n${set('a', ', outputs: { y: "${{ outputs.x }}" }, expect: ["${{ outputs.x == 1 }}"]')}`,
    ],
    ['another step', `steps:\n${set('a')}${set('z')}outputs: { y: "\${{ steps.z.outputs.x }}" }\n`],
    [
      'a name of the same spelling',
      `steps:\n${set('a')}outputs: { y: "\${{ [{'a': {'outputs': 1}}].map(steps, steps.a.outputs) }}" }\n`,
    ],
  ]
  it.each(others)('not by %s', (_, body) => {
    expect(read(body)).not.toContain('a')
  })

  it('finds steps inside blocks, branches, catch and finally', () => {
    const body = `steps:
  - id: block
    steps:
      - { id: a, uses: core/set, with: { x: 1 } }
      - { id: b, uses: core/set, with: { x: "\${{ steps.a.outputs.x }}" } }
    finally: [{ id: c, uses: core/set, with: { x: 1 } }, { id: d, uses: core/set, with: { x: "\${{ steps.c.outputs.x }}" } }]
    outputs: { y: "\${{ steps.b.outputs.x }}" }
  - id: both
    parallel: [{ id: e, uses: core/set, with: { x: 1 } }, { id: f, uses: core/set, with: { x: 1 } }]
    outputs: { y: "\${{ steps.e.outputs.x }}" }
`
    expect(read(body)).toEqual(['a', 'b', 'c', 'e'])
  })

  it.each([
    ['steps.a.outputs.x', ['x']],
    ['[steps.a.outputs.y, steps.a.outputs["x"]]', ['x', 'y']],
    ['default(steps.a.outputs.x, 1)', ['x']],
    ['[steps.a.outputs.x, steps.a.outputs]', undefined],
    ['[1].map(one, steps)', undefined],
    ['1', undefined],
  ])('names the fields that %s reads of a step', (expression, fields) => {
    const step = '{ id: a, uses: core/set, with: { x: 1, y: 2 } }'
    const body = `steps: [${step}]\noutputs: { z: '\${{ ${expression} }}' }\n`
    expect(planOf(body).steps[0]?.fieldsRead).toEqual(fields)
  })

  it('marks whether the list of a loop is read', () => {
    const loop = (expression: string): unknown => {
      const body = `steps:\n${set('a', ', for-each: { items: [1] }')}outputs: { y: "\${{ ${expression} }}" }\n`
      return planOf(body).steps[0]?.forEach?.keepsItems
    }
    expect(loop('steps.a.outputs.items')).toBe(true)
    expect(loop('steps.a.outputs')).toBe(true)
    expect(loop('steps.a.outputs.items[0].status')).toBe(true)
    expect(loop('steps.a.outputs.failed')).toBeUndefined()
    expect(loop('steps.a.status')).toBeUndefined()
  })
})

describe('secrets', () => {
  it('are positions in the plan, and nowhere in the arguments', () => {
    const plan = planOf(`secrets: [token, other]
steps:
  - id: a
    uses: safari/a2a-agent/create
    with:
      agent_name: a
      instructions: b
      card_url: https://agents.example.com/card
      auth_type: api_key
      auth_config: { api_key: "\${{ secrets.token }}", header_name: "\${{ secrets.other }}" }
`)
    const [step] = plan.steps
    expect(step).toMatchObject({
      uses: {
        secrets: [
          { path: ['auth_config', 'api_key'], name: 'token' },
          { path: ['auth_config', 'header_name'], name: 'other' },
        ],
      },
    })
    expect(plan.secrets).toEqual(['token', 'other'])
    expect(JSON.stringify(step?.kind === 'uses' && step.uses.with)).not.toContain('secret')
  })

  it('are there for an action that requires them, whatever their schema says of their values', () => {
    const own = defineAction({
      name: 'acme/gates/open',
      summary: 'Open a gate',
      safety: 'create',
      input: {
        type: 'object',
        required: ['code', 'badge', 'gate'],
        properties: {
          code: { type: 'string', minLength: 20 },
          badge: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
          gate: { type: 'string' },
        },
      },
      output: { type: 'object' },
      sensitiveInput: ['code', 'badge.id'],
      check: ({ code, gate }) => [
        ...(String(code).startsWith('#') ? [] : [{ path: 'code', message: 'begins with #' }]),
        ...(gate === 'front' ? [] : [{ path: 'gate', message: 'is no gate' }]),
      ],
      run: () => ({}),
    })
    const findings = (keys: string): readonly string[] => {
      const text = `${head}secrets: [code]\nsteps: [{ id: a, uses: acme/gates/open, with: { ${keys} } }]\n`
      return loadRunbook(text, createActions([own])).diagnostics.map(({ code, path }) => `${code} ${path}`)
    }
    const secret = '"${{ secrets.code }}"'
    expect(findings(`code: ${secret}, badge: { id: ${secret} }, gate: front`)).toEqual([])
    expect(findings(`code: ${secret}, badge: { id: ${secret} }, gate: side`)).toEqual([
      'WRONG_ARGUMENT steps[0].with.gate',
    ])
    expect(findings(`code: ${secret}, badge: {}, gate: front`)).toEqual([
      'MISSING_ARGUMENT steps[0].with.badge',
    ])
    expect(findings(`code: abc, badge: { id: ${secret} }, gate: front`)).toEqual([
      'LITERAL_SECRET steps[0].with.code',
    ])
  })
})

it('the secrets of a run are those that its steps can read, at any position', () => {
  const step = (id: string, secret: string): string =>
    `{ id: ${id}, uses: core/http, with: { url: "https://a.example.com/", secret-headers: { X: { secret: ${secret} } } } }`
  const plan = planOf(
    `secrets: [a, b, c, d, f, g, unused]
steps:
  - { id: block, steps: [${step('s', 'b')}], finally: [${step('t', 'a')}] }
  - { id: both, parallel: [${step('u', 'c')}], catch: [{ errors: [all], steps: [${step('v', 'd')}] }] }
  - { id: child, uses: core/run, with: { runbook: ./child.yaml } }
finally: [${step('x', 'f')}, ${step('y', 'a')}]
`,
    { readRunbook: () => `${head}secrets: [z, unused]\nsteps: [${step('q', 'z')}]\n` },
  )
  expect(secretsNeeded({ plan, inputs: {}, actions })).toEqual(['a', 'b', 'c', 'd', 'f', 'z'])
})

it.each([
  ['inputs.mode', 'a', ['a']],
  ['inputs.mode', 'b', []],
  ['item', 'b', ['a']],
  ["default(steps.first.outputs.mode, 'b')", 'b', ['a']],
])('a step under %s == "a" needs its secret with mode %s: %j', (left, mode, names) => {
  const loop = left === 'item' ? 'for-each: { items: [a, b] }, ' : ''
  const plan = planOf(`secrets: [a]
inputs: { type: object, required: [mode], properties: { mode: { type: string } } }
steps:
  - { id: first, uses: core/http, with: { url: "https://a.example.com/" }, outputs: { mode: "\${{ outputs.body }}" } }
  - { id: block, ${loop}steps: [{ id: tell, if: "\${{ ${left} == 'a' }}", uses: core/http, with: { url: "https://a.example.com/", secret-headers: { X: { secret: a } } } }] }
`)
  expect(secretsNeeded({ plan, inputs: { mode }, actions })).toEqual(names)
})

describe('how safe a request is', () => {
  const safeties: readonly (readonly [given: string, safety: string])[] = [
    ['', 'read'],
    ['method: GET', 'read'],
    ['method: HEAD', 'read'],
    ['method: POST', 'create'],
    ['method: PATCH', 'create'],
    ['method: PUT', 'idempotent'],
    ['method: DELETE', 'idempotent'],
    ['method: POST, safety: read', 'read'],
    ['method: GET, safety: create', 'create'],
    ['safety: idempotent', 'idempotent'],
    ['method: "${{ inputs.method }}", safety: create', 'create'],
  ]
  it.each(safeties)('%s', (given, safety) => {
    const more = given === '' ? '' : `, ${given}`
    const plan =
      planOf(`inputs: { type: object, required: [method], properties: { method: { type: string } } }
defaults: { connection: production }
steps: [{ id: a, uses: core/http, with: { url: "https://a.example.com/"${more} } }]
`)
    expect(plan.steps).toMatchObject([{ uses: { action: { name: 'core/http', safety } } }])
    expect(plan.steps[0]).not.toHaveProperty('uses.connection')
  })

  it('a secret of its headers is a position in the plan', () => {
    const plan = planOf(`secrets: [key]
steps:
  - id: a
    uses: core/http
    with: { url: "https://a.example.com/", secret-headers: { X-Key: { secret: key, prefix: p } } }
`)
    expect(plan.steps).toMatchObject([
      {
        uses: {
          with: { value: { 'secret-headers': { 'X-Key': { prefix: 'p' } } } },
          secrets: [{ path: ['secret-headers', 'X-Key', 'secret'], name: 'key' }],
        },
      },
    ])
  })
})

describe('withSecrets', () => {
  const positions = [
    { path: ['auth', 'token'], name: 'one' },
    { path: ['__proto__', 'key'], name: 'two' },
  ]
  it('puts each value where its position says, and leaves the arguments as they are', () => {
    const input = { auth: { kind: 'bearer' }, list: [1] }
    const whole = withSecrets(input, positions, (name) => `value of ${name}`)
    expect(JSON.stringify(whole)).toBe(
      '{"auth":{"kind":"bearer","token":"value of one"},"list":[1],"__proto__":{"key":"value of two"}}',
    )
    expect(input).toEqual({ auth: { kind: 'bearer' }, list: [1] })
    expect('key' in {}).toBe(false)
  })
})

it('a text that would make the plan too large is left out', () => {
  const body = 'steps:\n  - { id: x, uses: core/log, with: { message: hi } }\n'
  const [kept, tooLong] = [planOf(body), planOf(`${body}#${'x'.repeat(200_000)}\n`)]
  expect(kept.text).toBe(head + body)
  expect(tooLong).toEqual({ ...kept, text: undefined })
})

describe('the hash', () => {
  const body = `title: t # a comment
labels: { b: x, a: y }
inputs: { type: object, required: [host], properties: { host: { type: string, maxLength: 5 } } }
steps:
  - id: x
    if: \${{ inputs.host == 'a' && size([1, 2]) > 1 }}
    uses: core/set
    timeout: 60s
    with: { text: "a \${{ inputs.host }}", map: { d: 1, c: [1, { f: 2, e: "\${{ inputs.host }}" }] } }
`
  const hash = planOf(body).hash
  const alike: readonly (readonly [what: string, change: (text: string) => string])[] = [
    ['comments', (text) => text.replace(' # a comment', '')],
    ['blank lines', (text) => text.replaceAll('\n', '\n\n')],
    [
      'keys of a step in another order',
      (text) =>
        text.replace('    uses: core/set\n    timeout: 60s\n', '    timeout: 60s\n    uses: core/set\n'),
    ],
    [
      'keys of a map in another order',
      (text) =>
        text.replace(
          '{ d: 1, c: [1, { f: 2, e: "${{ inputs.host }}" }] }',
          '{ c: [1, { e: "${{ inputs.host }}", f: 2 }], d: 1 }',
        ),
    ],
    ['labels in another order', (text) => text.replace('{ b: x, a: y }', '{ a: y, b: x }')],
    [
      'keywords of the schema in another order',
      (text) => text.replace('{ type: string, maxLength: 5 }', '{ maxLength: 5, type: string }'),
    ],
    ['another style of quotes', (text) => text.replace('"a ${{ inputs.host }}"', "'a ${{ inputs.host }}'")],
    [
      'white space inside an expression',
      (text) =>
        text.replace("inputs.host == 'a' && size([1, 2]) > 1", "inputs.host=='a'  &&  size([1,2])>1 "),
    ],
    ['another way to write a duration', (text) => text.replace('60s', '1m')],
    ['aliases', (text) => text.replace('{ d: 1, c: [1,', '{ d: &one 1, c: [*one,')],
    ['line ends of Windows', (text) => text.replaceAll('\n', '\r\n')],
  ]
  it.each(alike)('is the same for %s', (_, change) => {
    expect(change(body)).not.toBe(body)
    expect(planOf(change(body)).hash).toBe(hash)
  })

  const different: readonly (readonly [what: string, change: (text: string) => string])[] = [
    ['another title', (text) => text.replace('title: t', 'title: u')],
    ['another text', (text) => text.replace('"a ${{', '"b ${{')],
    ['another condition', (text) => text.replace("== 'a'", "!= 'a'")],
    ['another name in an expression', (text) => text.replace('size([1, 2])', 'size([1, 3])')],
    ['another limit', (text) => text.replace('60s', '61s')],
    ['a list in another order', (text) => text.replace('[1, {', '[{').replace('" }]', '" }, 1]')],
    ['a number that is a text', (text) => text.replace('d: 1', 'd: "1"')],
    ['another id', (text) => text.replace('id: x', 'id: y')],
    ['another input', (text) => text.replace('maxLength: 5', 'maxLength: 6')],
  ]
  it.each(different)('is another one for %s', (_, change) => {
    expect(change(body)).not.toBe(body)
    expect(planOf(change(body)).hash).not.toBe(hash)
  })

  it('keeps data whose keys are those of a plan apart', () => {
    const data = (text: string): string =>
      planOf(`steps:\n  - { id: x, uses: core/set, with: { a: ${text} } }\n`).hash
    expect(data('{ kind: name, span: [1, 2] }')).not.toBe(data('{ kind: name, span: [1, 3] }'))
    expect(data('{ tree: 1, source: a }')).not.toBe(data('{ tree: 1, source: b }'))
    expect(data('{ kind: object, entries: 5 }')).not.toBe(data('{ kind: object, entries: 6 }'))
  })
})

describe('children', () => {
  const child = (text: string): string =>
    `${head}steps:\n  - { id: x, uses: core/log, with: { message: ${text} } }\n`
  const caller = (path: string): string =>
    `${head}steps:\n  - { id: x, uses: core/run, with: { runbook: ${path} } }\n`
  const load = (files: Readonly<Record<string, string>>, file = 'books/main.yaml'): Plan =>
    planOf('steps:\n  - { id: x, uses: core/run, with: { runbook: ./lib/one.yaml } }\n', {
      file,
      readRunbook: (path) => files[path],
    })

  it('are in the plan by their path, those of children too', () => {
    const plan = load({ 'lib/one.yaml': caller('../two.yaml'), 'two.yaml': child('hi') })
    expect(Object.keys(plan.children ?? {}).toSorted()).toEqual(['lib/one.yaml', 'two.yaml'])
    expect(plan.steps[0]).toMatchObject({ uses: { runbook: 'lib/one.yaml' } })
    expect(plan.children?.['lib/one.yaml']?.steps[0]).toMatchObject({ uses: { runbook: 'two.yaml' } })
    expect(plan.children?.['lib/one.yaml']?.children).toBeUndefined()
  })

  it('keep their texts, as the plan around them does', () => {
    const plan = load({ 'lib/one.yaml': caller('../two.yaml'), 'two.yaml': child('hi') })
    expect(plan.text).toContain('runbook: ./lib/one.yaml')
    expect(plan.children?.['two.yaml']?.text).toBe(child('hi'))
  })

  it('are part of the hash, where they stand is not', () => {
    const one = load({ 'lib/one.yaml': caller('../two.yaml'), 'two.yaml': child('hi') })
    const other = load({ 'lib/one.yaml': caller('../two.yaml'), 'two.yaml': child('ho') })
    expect(other.hash).not.toBe(one.hash)
    expect(other.children?.['lib/one.yaml']?.hash).not.toBe(one.children?.['lib/one.yaml']?.hash)
    const moved = load({ 'lib/one.yaml': caller('../two.yaml'), 'two.yaml': child('hi') }, '/tmp/else.yaml')
    expect(moved.hash).toBe(one.hash)
  })

  it('are named in findings as files are, and their texts come along', () => {
    const files: Readonly<Record<string, string>> = { 'lib/one.yaml': child('*x') }
    const { plan, diagnostics, texts } = loadRunbook(caller('lib/one.yaml'), actions, {
      file: 'books/main.yaml',
      readRunbook: (path) => files[path],
    })
    expect(plan).toBeUndefined()
    expect(diagnostics).toMatchObject([{ code: 'UNKNOWN_ALIAS', file: 'books/lib/one.yaml' }])
    expect(Object.keys(texts)).toEqual(['books/main.yaml', 'books/lib/one.yaml'])
  })

  it('that cannot be read are not there', () => {
    const readRunbook = (): never => {
      throw new Error('EACCES')
    }
    for (const options of [{}, { readRunbook }]) {
      const { diagnostics } = loadRunbook(caller('a.yaml'), actions, options)
      expect(diagnostics).toMatchObject([{ code: 'RUNBOOK_NOT_FOUND' }])
    }
  })

  it('are at most 50', () => {
    const steps = (count: number): string =>
      Array.from(
        { length: count },
        (_, n) => `  - { id: x${n}, uses: core/run, with: { runbook: ${n}.yaml } }\n`,
      ).join('')
    const codes = (count: number): readonly string[] =>
      loadRunbook(`${head}steps:\n${steps(count)}`, actions, {
        readRunbook: () => child('hi'),
      }).diagnostics.map(({ code }) => code)
    expect(codes(50)).toEqual([])
    expect(codes(51)).toEqual(['RUNBOOK_TOO_DEEP'])
  })
})
