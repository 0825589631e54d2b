import type { Template } from '../../../core/expressions/index.ts'
import { nearest, wordsWithoutValues } from '../../../core/text/index.ts'
import { type Diagnostic, diagnosticRules } from '../../../load/file/index.ts'
import {
  compileOwn,
  findingPlace,
  inOrder,
  readSource,
  type Source,
  schemaFindings,
} from '../../../load/yaml/index.ts'
import { type SchemaProblem, wordsOfYamlFile } from '../../../schema/index.ts'
import { type ConfigurationDocument, configurationSchema } from './configuration-schema.ts'

/** A valid configuration, or the findings about it. */
export interface CheckedConfiguration {
  /** The valid parts. Left out: the text is not a mapping that can be read. */
  readonly document?: ConfigurationDocument
  /** The keys that `document` leaves out: a finding is about them, or about a key that can stand for them. */
  readonly invalidKeys: readonly string[]
  /** What the expressions of hooks are compiled to, by the names of the hooks. */
  readonly hooks?: Readonly<Record<string, HookTemplates>>
  readonly findings: readonly Diagnostic[]
}

/** The expressions of a hook. */
export interface HookTemplates {
  readonly id?: Template
  readonly map?: Template
}

/**
 * Checks the text of `opsbook.yaml`. No message repeats a value, so that a key in the file does not get into a log.
 */
export async function checkConfiguration(text: string): Promise<CheckedConfiguration> {
  const source = readSource(text, undefined, 'configuration')
  const found = source.findings.list
  if (found.some(({ code }) => code === 'EMPTY_FILE')) return { document: {}, invalidKeys: [], findings: [] }
  if (source.value === undefined || found.length > 0)
    return { invalidKeys: [], findings: found.map(withoutValues) }
  const problems = schemaFindings(compileOwn(configurationSchema), source.value, [], ofConfiguration)
  const findings = problems.map(
    (problem): Diagnostic => ({
      code: problem.code,
      severity: 'error',
      path: problem.path.join('.'),
      range: source.rangeOf(findingPlace(problem.path, problem.isAboutKey)),
      ...inWords(problem),
    }),
  )
  if (problems.some(({ path }) => path.length === 0)) return { invalidKeys: [], findings }
  const document = source.value as ConfigurationDocument
  const invalidKeys = [...new Set(problems.flatMap(({ path }) => meantBy(String(path[0]), document)))]
  const checked = await withHooks(source, without(document, invalidKeys))
  return {
    ...checked,
    invalidKeys: [...invalidKeys, ...checked.invalidKeys],
    findings: [...findings, ...checked.findings],
  }
}

/** The parts that a key can stand for: where it is like no known key, each that the file lacks. */
function meantBy(key: string, document: ConfigurationDocument): readonly string[] {
  if (known.includes(key)) return [key]
  const meant = nearest(key, known)
  return [key, ...(meant === undefined ? known.filter((name) => !Object.hasOwn(document, name)) : [meant])]
}

const known: readonly string[] = Object.keys(configurationSchema.properties ?? {})

/** Compiles the expressions of hooks, after the shape of the document was checked. */
async function withHooks(source: Source, document: ConfigurationDocument): Promise<CheckedConfiguration> {
  if (document.hooks === undefined) return { document, invalidKeys: [], findings: [] }
  // The expression language is loaded only if a hook uses it.
  const { compileAlone } = await import('../../../load/index.ts')
  const hooks = Object.entries(document.hooks).map(([name, { id, map }]) => {
    const compile = (key: string): Template => compileAlone(source, ['hooks', name, key], ['body'])
    const templates: HookTemplates = {
      ...(id === undefined ? {} : { id: compile('id') }),
      ...(map === undefined ? {} : { map: compile('map') }),
    }
    return [name, templates] as const
  })
  const findings = inOrder(source.findings.list)
  return findings.length > 0
    ? { document: without(document, ['hooks']), invalidKeys: ['hooks'], findings }
    : { document, hooks: Object.fromEntries(hooks), invalidKeys: [], findings }
}

function without(document: ConfigurationDocument, keys: readonly string[]): ConfigurationDocument {
  return Object.fromEntries(Object.entries(document).filter(([key]) => !keys.includes(key)))
}

/** Replaces messages that can quote a value by the text of their rule. */
function withoutValues(finding: Diagnostic): Diagnostic {
  const { hint: _, ...rest } = finding
  return withoutText.has(finding.code) ? finding : { ...rest, message: diagnosticRules[finding.code] }
}

/** Findings whose messages quote at most a key. */
const withoutText: ReadonlySet<Diagnostic['code']> = new Set([
  'DUPLICATE_KEY',
  'FILE_TOO_LARGE',
  'SEVERAL_DOCUMENTS',
  'TAB',
  'TOO_DEEP',
  'YAML_SYNTAX',
])

/** Keys of HTTP connections whose values stand elsewhere. */
const secretKeys: readonly string[] = [
  'token',
  'password',
  'value',
  'client-secret',
  'access-key-id',
  'secret-access-key',
  'session-token',
  'ca',
  'cert',
  'key',
]

const ofConfiguration = wordsOfYamlFile(
  {
    whole: 'opsbook.yaml',
    missing: (key) => `opsbook.yaml needs the key "${key}"`,
    unknown: (key) => `there is no key "${key}" in opsbook.yaml`,
  },
  wordsWithoutValues,
)

function inWords({ path, code, message, hint }: SchemaProblem): { message: string; hint?: string } {
  const last = String(path.at(-1))
  if (last === 'app-key' && code !== 'UNKNOWN_KEY') return namesPlace(last, 'key')
  if (path[0] === 'secrets' && path.length > 1) {
    return {
      message: 'the value names the place of the secret, never the secret itself',
      hint: 'write env:NAME or file:PATH, and replace a secret that was written here',
    }
  }
  const isInConnection = path[0] === 'connections' && (path[2] === 'auth' || path[2] === 'tls')
  if (isInConnection && code === 'WRONG_VALUE' && secretKeys.includes(String(path[3])))
    return namesPlace(String(path[3]), 'secret')
  if (path[0] === 'hooks' && path.includes('secret') && code !== 'UNKNOWN_KEY')
    return namesPlace('secret', 'secret', ', or a list of these')
  const isOfAnotherType = code === 'UNKNOWN_KEY' || message.endsWith('must be left out here')
  if (path[0] === 'console' && ['secret', 'client-secret'].includes(last) && !isOfAnotherType)
    return namesPlace(last, 'secret')
  if (path[0] === 'serve' && last === 'callback-key' && code !== 'UNKNOWN_KEY') return namesPlace(last, 'key')
  if (path[0] === 'notify' && last === 'url' && code !== 'UNKNOWN_KEY') {
    return {
      message: '"url" names the place of the address, never the address itself, which is a secret',
      hint: 'write url: env:NAME or url: file:PATH',
    }
  }
  const isSafe = hint !== undefined && code === 'UNKNOWN_KEY'
  return isSafe ? { message, hint } : { message }
}

/** The words about a key whose value stands elsewhere. `more`: what else it takes. */
function namesPlace(key: string, what: string, more = ''): { message: string; hint: string } {
  return {
    message: `"${key}" names the place of the ${what}, never the ${what} itself`,
    hint: `write ${key}: env:NAME or ${key}: file:PATH${more}, and replace a ${what} that was written here`,
  }
}
