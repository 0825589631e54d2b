import { isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { diagnosticRules } from '../../load/index.ts'
import { diagnosticJson, printDiagnostic } from '../../project/runbooks/index.ts'
import { printable } from '../../project/text/index.ts'
import { countText } from '../../view/text/index.ts'
import { answer, answerJson, type CommandContext, tell } from '../shared/context.ts'
import type { Io } from '../shared/io.ts'
import { annotation } from '../shared/workflow-annotation.ts'
import type { CheckedFile, FileFinding } from './check-file.ts'
import { fileRules } from './gather-files.ts'

/** The totals of a report. */
export interface FindingTotals {
  readonly files: number
  readonly errors: number
  readonly warnings: number
}

/** An output format. It gets every file when it has been checked, and keeps as little of it as possible. */
export interface Report {
  take(checked: CheckedFile): void
  end(totals: FindingTotals): void
}

/** Creates a report that writes to the streams of the command. */
export type CreateReport = (context: CommandContext) => Report

/** The path of a file for the code host: from the root of the repository if known, with slashes. */
function pathInRepository(file: string, { env, workingDirectory }: Io): string {
  const root = env['GITHUB_WORKSPACE'] || workingDirectory
  const path = relative(root, resolve(workingDirectory, file))
  const isOutside = path === '' || path.startsWith('..')
  return (isOutside ? file : path).split(sep).join('/')
}

/** As text: each finding with its line and carets, and a verdict. */
const textReport: CreateReport = (context) => ({
  take({ file, texts, findings }) {
    for (const finding of findings) {
      const name = finding.file ?? file
      answer(context, [...printDiagnostic(name, texts[name], finding, context.paint), ''])
    }
  },
  end({ files, errors, warnings }) {
    const { paint } = context
    const found = [
      ...(errors > 0 ? [paint.red(countText(errors, 'error'))] : []),
      ...(warnings > 0 ? [paint.yellow(countText(warnings, 'warning'))] : []),
    ]
    const verdict = found.length === 0 ? paint.green('no findings') : found.join(', ')
    answer(context, `${countText(files, 'file')} checked: ${verdict}`)
  },
})

/** For scripts: one document. Lines and columns count from 1, and an end is the place after the last character. */
const jsonReport: CreateReport = (context) => {
  const files: unknown[] = []
  return {
    take({ file, findings }) {
      files.push({ file, diagnostics: findings.map((finding) => diagnosticJson(finding, file)) })
    },
    end({ errors, warnings }) {
      answerJson(context, { files, errors, warnings })
    },
  }
}

/** For GitHub Actions: each finding as a workflow command, which becomes an annotation of its line. */
const githubReport: CreateReport = (context) => ({
  take({ file, findings }) {
    for (const finding of findings)
      answer(context, command(finding, pathInRepository(finding.file ?? file, context.io)))
  },
  end({ files, errors, warnings }) {
    const found = `${countText(errors, 'error')}, ${countText(warnings, 'warning')}`
    tell(context, `${countText(files, 'file')} checked: ${found}`)
  },
})

function command(
  { severity, code, message, hint, range: { start, end } }: FileFinding,
  file: string,
): string {
  const isOneLine = start.line === end.line
  return annotation({
    level: severity,
    file,
    line: start.line,
    endLine: end.line,
    // Columns are refused where an annotation spans lines.
    column: isOneLine ? start.column : undefined,
    endColumn: isOneLine ? end.column : undefined,
    title: code,
    message: printable(hint === undefined ? message : `${message}\nhint: ${hint}`),
  })
}

/** For code scanning: SARIF 2.1.0, one run, every code a rule. */
const sarifReport: CreateReport = (context) => {
  const results: unknown[] = []
  return {
    take({ file, findings }) {
      for (const finding of findings) results.push(result(finding, uriOf(finding.file ?? file, context.io)))
    },
    end() {
      const driver = { name: 'opsbook', version: context.version, rules: codes.map(rule) }
      answerJson(context, {
        $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
        version: '2.1.0',
        runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
      })
    },
  }
}

const rules: Readonly<Record<string, string>> = { ...diagnosticRules, ...fileRules }
const codes = Object.keys(rules)

function rule(code: string): unknown {
  const page = `docs/diagnostics.md#${code.toLowerCase()}`
  return {
    id: code,
    shortDescription: { text: rules[code] },
    help: { text: `${rules[code]} See ${page}`, markdown: `${rules[code]} See [${code}](${page}).` },
  }
}

function result({ code, severity, message, hint, path, range }: FileFinding, uri: string): unknown {
  const { start, end } = range
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: severity,
    message: { text: hint === undefined ? message : `${message} (${hint})` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri },
          // A finding about the whole file has no place in it.
          ...(end.offset === 0
            ? {}
            : {
                region: {
                  startLine: start.line,
                  startColumn: start.column,
                  endLine: end.line,
                  endColumn: end.column,
                },
              }),
        },
        ...(path === '' ? {} : { logicalLocations: [{ fullyQualifiedName: path }] }),
      },
    ],
  }
}

/** A relative reference if possible: a viewer resolves it against its own checkout. */
function uriOf(file: string, io: Io): string {
  const path = pathInRepository(file, io)
  return isAbsolute(path) ? pathToFileURL(path).href : path.split('/').map(encodeURIComponent).join('/')
}

/** How `validate` can answer. */
export type ValidateFormat = 'text' | 'json' | 'sarif' | 'github'

/** The output formats of `validate`, by the name that `--output` takes. */
export const reports: Readonly<Record<ValidateFormat, () => Promise<CreateReport>>> = {
  text: async () => textReport,
  json: async () => jsonReport,
  sarif: async () => sarifReport,
  github: async () => githubReport,
}
