import { type Diagnostic, diagnosticRules } from '../../core/diagnostic.ts'
import type { Template } from '../../core/expressions/tree.ts'
import { compileOwn } from '../../load/ajv.ts'
import { type ShapeProblem, schemaProblems } from '../../load/schema-problems.ts'
import { readSource, type Source } from '../../load/source.ts'
import { inOrder } from '../../load/yaml/findings.ts'
import { type ConfigurationDocument, configurationSchema } from './schema.ts'

/** A configuration that is sound, or what is wrong with it. */
export interface CheckedConfiguration {
  /** Also there where only `notify` is wrong, without it: who is told matters only to a run. */
  readonly document?: ConfigurationDocument
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
 * Checks the text of `opsbook.yaml`. No message repeats a value: whoever writes a key into the file must not
 * find it in a log as well.
 */
export async function checkConfiguration(text: string): Promise<CheckedConfiguration> {
  const source = readSource(text)
  const found = source.findings.list
  if (found.some(({ code }) => code === 'EMPTY_FILE')) return { document: {}, findings: [] }
  if (source.value === undefined || found.length > 0) return { findings: found.map(withoutValues) }
  const problems = schemaProblems(compileOwn(configurationSchema), source.value, [], ofConfiguration)
  if (problems.length === 0) return withHooks(source, source.value as ConfigurationDocument)
  return {
    ...withoutNotify(source.value, problems),
    findings: problems.map((problem) => ({
      code: problem.code,
      severity: 'error',
      path: problem.path.join('.'),
      range: problem.isAboutKey ? source.rangeOfKey(problem.path) : source.rangeOf(problem.path),
      ...inWords(problem),
    })),
  }
}

/** What the expressions of hooks are, once the shape of everything is right. */
async function withHooks(source: Source, document: ConfigurationDocument): Promise<CheckedConfiguration> {
  if (document.hooks === undefined) return { document, findings: [] }
  // The language is loaded where somebody speaks it.
  const { compileAlone } = await import('../../load/compile-alone.ts')
  const hooks = Object.entries(document.hooks).map(([name, { id, map }]) => {
    const compile = (key: string): Template => compileAlone(source, ['hooks', name, key], ['body'])
    const templates: HookTemplates = {
      ...(id === undefined ? {} : { id: compile('id') }),
      ...(map === undefined ? {} : { map: compile('map') }),
    }
    return [name, templates] as const
  })
  const findings = inOrder(source.findings.list)
  return findings.length > 0 ? { findings } : { document, hooks: Object.fromEntries(hooks), findings }
}

function withoutNotify(
  value: unknown,
  problems: readonly ShapeProblem[],
): Pick<CheckedConfiguration, 'document'> {
  if (problems.some(({ path }) => path[0] !== 'notify')) return {}
  const { notify: _, ...document } = value as ConfigurationDocument
  return { document }
}

/** The parser's own words may quote the text; where they can, the rule stands instead. */
function withoutValues(finding: Diagnostic): Diagnostic {
  const { hint: _, ...rest } = finding
  return finding.code === 'DUPLICATE_KEY' ? finding : { ...rest, message: diagnosticRules[finding.code] }
}

const ofConfiguration = { whole: 'opsbook.yaml', inWhole: 'opsbook.yaml', key: 'key' }

function inWords({ path, code, message, hint }: ShapeProblem): { message: string; hint?: string } {
  if (path.at(-1) === 'app-key' && code !== 'UNKNOWN_KEY') {
    return {
      message: '"app-key" says where the key is found, and never holds the key itself',
      hint: 'write app-key: env:NAME or app-key: file:PATH, and replace a key that stood here',
    }
  }
  if (path[0] === 'secrets' && path.length > 1) {
    return {
      message: 'what stands here says where the secret is found, and is never the secret itself',
      hint: 'write env:NAME or file:PATH, and replace a secret that stood here',
    }
  }
  if (path[0] === 'hooks' && path.includes('secret') && code !== 'UNKNOWN_KEY') {
    return {
      message: '"secret" says where the secret is found, and never holds the secret itself',
      hint: 'write secret: env:NAME or secret: file:PATH, or a list of these, and replace a secret that stood here',
    }
  }
  if (path[0] === 'notify' && path.at(-1) === 'url' && code !== 'UNKNOWN_KEY') {
    return {
      message: '"url" says where the address is found, and never holds the address itself, which is a secret',
      hint: 'write url: env:NAME or url: file:PATH',
    }
  }
  const text = message.replace(/, not .*$/s, '')
  const isSafe = hint !== undefined && code === 'UNKNOWN_KEY'
  return isSafe ? { message: text, hint } : { message: text }
}
