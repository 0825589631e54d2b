import { answer, tell } from '../../context.ts'
import { printable } from '../../terminal/printable.ts'
import type { FileFinding } from '../check-file.ts'
import { pathInRepository } from './path-in-repository.ts'
import { type CreateReport, count } from './report.ts'

/** For GitHub Actions: each finding as a workflow command, which becomes an annotation of its line. */
export const githubReport: CreateReport = (context) => ({
  take({ file, findings }) {
    for (const finding of findings) {
      answer(context, command(finding, pathInRepository(finding.file ?? file, context.io)))
    }
  },
  end({ files, errors, warnings }) {
    const found = `${count(errors, 'error')}, ${count(warnings, 'warning')}`
    tell(context, `${count(files, 'file')} checked: ${found}`)
  },
})

function command({ severity, code, message, hint, range }: FileFinding, file: string): string {
  const isOneLine = range.start.line === range.end.line
  const properties = {
    file,
    line: range.start.line,
    endLine: range.end.line,
    // Columns are refused where an annotation spans lines.
    ...(isOneLine ? { col: range.start.column, endColumn: range.end.column } : {}),
    title: code,
  }
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
  const text = printable(hint === undefined ? message : `${message}\nhint: ${hint}`)
  return `::${severity} ${list.join(',')}::${escapeData(text)}`
}

/** What would end the line, and the sign that begins an escape. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** Also what would end a property or the list of them. */
function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
