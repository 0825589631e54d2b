import { stringify } from 'yaml'
import { expressionFunctions } from '../../src/core/expressions/functions.ts'
import type { Random } from './random.ts'

/** Pieces that mean something to YAML, to expressions or to the language. */
const pieces = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ': ',
    '- ',
    '? ',
    '#',
    ' #',
    '&a ',
    '*a',
    '!x ',
    '!!str ',
    '|',
    '>',
    '|-\n',
    '"',
    "'",
    '\\',
  ],
  ...[
    '\n',
    '\r\n',
    '\t',
    ' ',
    '  ',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '<<: ',
    '@',
    '`',
    '~',
    '\0',
    '\ufeff',
    '\ufffd',
    '\ud800',
    '\u2028',
  ],
  ...[
    '${{',
    '}}',
    '${{ ',
    ' }}',
    '$${{',
    '{{',
    'inputs.',
    'steps.',
    '.outputs',
    'has(',
    ')',
    "'",
    ' ? ',
    ' : ',
    ' && ',
    '==',
    '[0]',
    '.map(x, ',
    '.groupBy(x, ',
    '.toMap(x, x, ',
    ".regexReplace('(', '\\\\9')",
    "formatTime(run.started_at, 'YYYY', 'Mars')",
  ],
  ...[
    'id: ',
    'uses: ',
    'with:',
    'steps:',
    'if: ',
    'for-each:',
    'catch:',
    'when: ',
    'then: fail',
    'parallel:',
    'choose:',
    'when: ',
    'null',
    'true',
    '1e999',
    '99999999999999999999',
    '0x',
    '__proto__',
  ],
  ...[
    'core/run',
    'core/set',
    'core/fail',
    'monit/tools/invoke',
    'default: ',
    '$ref: "#"',
    'pattern: "("',
    '30s',
    '-1',
    '.nan',
  ],
  ...[
    'core/command',
    'core/listen',
    'core/time',
    'core/http',
    'tickets/get',
    'tickets/create',
    'connection: github',
    'path: "/a/${{ inputs.host }}/b"',
    'script: ',
    'command: [sh, -c, ',
    'on: { ssh: a.prod.example }',
    'secret: ',
    'form: { a: ',
    'repeat: { with: {}, next: {}, until: true, at-most: 2 }',
    'turn.',
    'next.',
    'sensitive: [a.*.b]',
    'retry: { when: "${{ error.status == 404 }}" }',
    'hook: ci',
    'where: ',
    'OPSBOOK_FILES',
    'concurrency: { key: a, limit: 2, on-conflict: wait }',
    'max-parallel: "${{ inputs.count }}"',
    'answer: { type: object, properties: { a: { enum: [x] } } }',
    'choices: ',
    'run.callbacks.',
    'run.failed_steps',
    'openapi: ',
  ],
  ...expressionFunctions.flatMap(({ name }) => [`${name}(`, `.${name}(`]),
]

/** A text with one to eight small changes. */
export function mutateText(text: string, other: string, random: Random): string {
  let mutated = text
  for (let count = 1 + random.below(8); count > 0; count--) mutated = changeOnce(mutated, other, random)
  return mutated
}

function changeOnce(text: string, other: string, random: Random): string {
  const at = random.below(text.length + 1)
  const length = random.next() < 0.8 ? random.below(12) : random.below(400)
  switch (random.below(7)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length)
    case 1:
      return text.slice(0, at) + random.pick(pieces) + text.slice(at)
    case 2:
      return text.slice(0, at) + random.pick(pieces) + text.slice(at + length)
    case 3:
      return text.slice(0, at) + text.slice(at, at + length) + text.slice(at)
    case 4: {
      const from = random.below(other.length + 1)
      return text.slice(0, at) + other.slice(from, from + length * 4) + text.slice(at)
    }
    case 5:
      return text.slice(0, at) + String.fromCharCode(random.below(0x250)) + text.slice(at + 1)
    default:
      return text.slice(0, at) + random.pick(pieces).repeat(random.below(60)) + text.slice(at)
  }
}

/** Bytes of which a few are others. */
export function mutateBytes(text: string, random: Random): Uint8Array {
  const bytes = Buffer.from(text)
  for (let count = 1 + random.below(6); count > 0; count--) {
    bytes[random.below(bytes.length)] = random.below(256)
  }
  return random.next() < 0.1 ? bytes.subarray(random.below(bytes.length)) : bytes
}

/** Places of a tree: the holder of a value, and its key there. */
export interface Place {
  readonly holder: Record<string | number, unknown>
  readonly key: string | number
}

/** Every place of a tree but its root. */
export function placesOf(tree: unknown): readonly Place[] {
  if (typeof tree !== 'object' || tree === null) return []
  const holder = tree as Record<string | number, unknown>
  const keys = Array.isArray(tree) ? [...tree.keys()] : Object.keys(tree)
  return keys.flatMap((key) => [{ holder, key }, ...placesOf(holder[key])])
}

/** Values of every type, sound ones and strange ones. */
export const values: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e21,
    '',
    'x',
    'yes',
    '30s',
    '${{ inputs.host }}',
    '${{ steps.x.outputs.y }}',
  ],
  ...[
    '${{',
    '${{ 1 + }}',
    "${{ 'a' }} b",
    '{{ inputs.x }}',
    '\n',
    '*/5 * * * *',
    '../up.yaml',
    '#',
    '!x',
    '25%',
    'all',
  ],
  ...[
    [],
    {},
    [null],
    [[]],
    ['x', 'x'],
    [1, 'a', {}],
    { a: 1 },
    { '': null },
    { id: 'x', uses: 'core/log' },
    { type: 'string' },
  ],
  ...[
    { $ref: '#' },
    { allOf: [{ $ref: '#' }] },
    { errors: ['all'], steps: [] },
    {
      errors: ['all'],
      when: true,
      steps: [{ id: 'y', uses: 'core/fail', with: { code: 'X' } }],
    },
    { choose: [{ when: false, steps: [] }, { steps: [null] }] },
    { when: '${{ true }}', steps: [] },
    { with: { n: 0 }, next: { n: '${{ turn.n + 1 }}' }, until: '${{ next.n > 1 }}', 'at-most': 3 },
    { attempts: 2, when: '${{ error.status in [502, 503] }}' },
    { id: 'z', uses: 'core/command', with: { script: 'ls "$A"', env: { A: '${{ inputs.host }}' } } },
    {
      id: 'z',
      uses: 'core/command',
      with: { command: ['ls', '${{ inputs }}'], on: { ssh: '${{ run.id }}' } },
    },
    { id: 'z', uses: 'core/listen', with: { hook: 'ci', where: '${{ event.a == run.id }}' } },
    {
      id: 'z',
      uses: 'core/http',
      connection: 'github',
      with: { path: '/${{ inputs.host }}', form: { a: { secret: 'k' } } },
    },
    { id: 'z', uses: 'tickets/create', with: { body: '${{ steps }}' }, sensitive: ['body.*.id', '*'] },
    { id: 'z', uses: 'core/time', sensitive: ['at', '..'] },
    {
      id: 'z',
      uses: 'core/ask',
      with: {
        message: 'a',
        answer: { type: 'object', properties: { a: { type: 'string' } } },
        choices: { a: '${{ inputs }}' },
      },
    },
    { key: '${{ inputs.host }}', limit: 0, 'on-conflict': 'wait' },
    '${{ run.callbacks.ci }} ${{ run.failed_steps }} ${{ turn.index }} ${{ steps.x.branch }}',
    { constructor: 1, toString: 2 },
  ],
]

/** A tree with one to four values deleted, renamed, retyped, moved or repeated, as YAML. */
export function mutateTree(tree: unknown, random: Random): string {
  const mutated = structuredClone(tree)
  for (let count = 1 + random.below(4); count > 0; count--) {
    const places = placesOf(mutated)
    if (places.length > 0) changePlace(random.pick(places), places, random)
  }
  return stringify(mutated, { aliasDuplicateObjects: random.next() < 0.5 })
}

const keys = [
  ...['id', 'uses', 'with', 'steps', 'choose', 'when', 'catch', 'if', 'x', 'repeat', 'retry', 'then'],
  ...['connection', 'sensitive', 'command', 'script', 'on', 'env', 'secret-env', 'path', 'query', 'form'],
]

function changePlace({ holder, key }: Place, places: readonly Place[], random: Random): void {
  const value = holder[key]
  switch (random.below(5)) {
    case 0:
      deleteKey(holder, key)
      return
    case 1:
      if (Array.isArray(holder)) holder.push(value)
      else holder[`${key}${random.pick(['x', '-', '_', ''])}`] = value
      return
    case 2: {
      const other = random.pick(places)
      holder[key] = structuredClone(other.holder[other.key])
      return
    }
    case 3:
      deleteKey(holder, key)
      if (!Array.isArray(holder)) holder[random.pick(keys)] = value
      return
    default:
      holder[key] = structuredClone(random.pick(values))
  }
}

export function deleteKey(holder: Record<string | number, unknown>, key: string | number): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}
