import { answer } from '../../context.ts'
import { printDiagnostic } from '../../terminal/print-diagnostic.ts'
import { type CreateReport, count } from './report.ts'

/** For people: each finding with its line and carets, and a verdict. */
export const textReport: CreateReport = (context) => ({
  take({ file, texts, findings }) {
    for (const finding of findings) {
      const place = finding.file ?? file
      answer(context, [...printDiagnostic(place, texts[place] ?? '', finding, context.paint), ''])
    }
  },
  end({ files, errors, warnings }) {
    const { paint } = context
    const found = [
      ...(errors > 0 ? [paint.red(count(errors, 'error'))] : []),
      ...(warnings > 0 ? [paint.yellow(count(warnings, 'warning'))] : []),
    ]
    const verdict = found.length === 0 ? paint.green('no findings') : found.join(', ')
    answer(context, `${count(files, 'file')} checked: ${verdict}`)
  },
})
