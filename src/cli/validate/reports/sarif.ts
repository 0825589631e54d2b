import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { diagnosticRules } from '../../../core/diagnostic.ts'
import { answerJson } from '../../context.ts'
import type { Io } from '../../io.ts'
import type { FileFinding } from '../check-file.ts'
import { fileRules } from '../file-rules.ts'
import { pathInRepository } from './path-in-repository.ts'
import type { CreateReport } from './report.ts'

/** For code scanning: SARIF 2.1.0, one run, every code a rule. */
export const sarifReport: CreateReport = (context) => {
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

/** A relative reference where that can be: a viewer resolves it against its own checkout. */
function uriOf(file: string, io: Io): string {
  const path = pathInRepository(file, io)
  return isAbsolute(path) ? pathToFileURL(path).href : path.split('/').map(encodeURIComponent).join('/')
}
