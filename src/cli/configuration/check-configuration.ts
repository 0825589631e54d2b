import { type Diagnostic, diagnosticRules } from '../../core/diagnostic.ts'
import { compileOwn } from '../../load/ajv.ts'
import { type ShapeProblem, schemaProblems } from '../../load/schema-problems.ts'
import { readSource } from '../../load/source.ts'
import { type ConfigurationDocument, configurationSchema } from './schema.ts'

/** A configuration that is sound, or what is wrong with it. */
export interface CheckedConfiguration {
  /** Also there where only `notify` is wrong, without it: who is told matters only to a run. */
  readonly document?: ConfigurationDocument
  readonly findings: readonly Diagnostic[]
}

/**
 * Checks the text of `opsbook.yaml`. No message repeats a value: whoever writes a key into the file must not
 * find it in a log as well.
 */
export function checkConfiguration(text: string): CheckedConfiguration {
  const source = readSource(text)
  const found = source.findings.list
  if (found.some(({ code }) => code === 'EMPTY_FILE')) return { document: {}, findings: [] }
  if (source.value === undefined || found.length > 0) return { findings: found.map(withoutValues) }
  const problems = schemaProblems(compileOwn(configurationSchema), source.value)
  if (problems.length === 0) return { document: source.value as ConfigurationDocument, findings: [] }
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
  if (path[0] === 'notify' && path.at(-1) === 'url' && code !== 'UNKNOWN_KEY') {
    return {
      message: '"url" says where the address is found, and never holds the address itself, which is a secret',
      hint: 'write url: env:NAME or url: file:PATH',
    }
  }
  const text = message
    .replace('in a runbook', 'in opsbook.yaml')
    .replace('the runbook', 'opsbook.yaml')
    .replace(/, not .*$/s, '')
  const isSafe = hint !== undefined && code === 'UNKNOWN_KEY'
  return isSafe ? { message: text, hint } : { message: text }
}
