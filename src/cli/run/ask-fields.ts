import { isJsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { answerProblem, choicesText, type GivenAnswer, type Question } from '../../core/people/index.ts'
import { quote } from '../../core/text/index.ts'
import { readField } from '../../load/yaml/index.ts'

/** Shows a prompt and reads one line. Undefined: the input was closed, or the question needs no answer any more. */
export type Prompt = (text: string) => Promise<string | undefined>

/** Asks for the fields of an answer one by one. Each is checked before the next. */
export async function askFields(
  question: Question,
  prompt: Prompt,
  say: (text: string) => void,
): Promise<Pick<GivenAnswer, 'approved' | 'value'> | undefined> {
  const { schema = {} } = question
  const fields = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>)
  for (;;) {
    const value: Record<string, JsonValue> = {}
    for (const [name, field] of fields) {
      const given = await askField(question, name, field, prompt, say)
      if (given === undefined) return undefined
      if (given !== 'left out') value[name] = given.value
    }
    const problem = answerProblem(question, value)
    if (problem === undefined) return { approved: true, value }
    say(`${problem}; once more:`)
  }
}

type GivenField = { readonly value: JsonValue } | 'left out' | undefined

async function askField(
  { schema = {}, choices = {}, default: standard }: Question,
  name: string,
  field: JsonSchema,
  prompt: Prompt,
  say: (text: string) => void,
): Promise<GivenField> {
  const isRequired = ((schema['required'] ?? []) as readonly unknown[]).includes(name)
  const usual = isJsonObject(standard) ? standard[name] : undefined
  const listed = choices[name] ?? (Array.isArray(field['enum']) ? (field['enum'] as JsonValue[]) : undefined)
  const { description, title = description } = field
  if (title !== undefined) say(`${name}: ${String(title)}`)
  if (listed) say(`choices: ${choicesText(listed)}`)
  const kind = field['type'] === 'array' ? 'a, b, …' : field['type'] === 'boolean' ? 'true or false' : ''
  const empty = usual !== undefined ? `empty: ${textOf(usual)}` : isRequired ? '' : 'empty: left out'
  const hints = [kind, empty].filter(Boolean).join('; ')
  for (;;) {
    const line = await prompt(`  ${name}${hints === '' ? '' : ` (${hints})`}: `)
    if (line === undefined) return undefined
    if (line.trim() === '' && usual !== undefined) return { value: usual }
    if (line.trim() === '' && !isRequired) return 'left out'
    const read = line.trim() === '' ? { problem: 'is required' } : readField(line.trim(), field)
    if ('problem' in read) {
      say(`${name}: ${read.problem}`)
      continue
    }
    const only = { schema: { type: 'object', properties: { [name]: field } }, choices: onlyOf(choices, name) }
    const problem = answerProblem(only, { [name]: read.value })
    if (problem === undefined) return { value: read.value }
    say(problem)
  }
}

function onlyOf(choices: NonNullable<Question['choices']>, name: string): NonNullable<Question['choices']> {
  const listed = choices[name]
  return listed === undefined ? {} : { [name]: listed }
}

function textOf(value: JsonValue): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'string' ? value : quote(value)
}
