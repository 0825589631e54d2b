import { answerJson } from '../../context.ts'
import type { FileFinding } from '../check-file.ts'
import type { CreateReport } from './report.ts'

/** For scripts: one document. Lines and columns count from 1, and an end is the place after the last character. */
export const jsonReport: CreateReport = (context) => {
  const files: unknown[] = []
  return {
    take({ file, findings }) {
      files.push({ file, diagnostics: findings.map((finding) => diagnostic(finding, file)) })
    },
    end({ errors, warnings }) {
      answerJson(context, { files, errors, warnings })
    },
  }
}

function diagnostic(finding: FileFinding, holder: string): unknown {
  const { code, severity, message, hint, path, range, file } = finding
  return {
    code,
    severity,
    message,
    ...(hint === undefined ? {} : { hint }),
    // Of another runbook that this one runs.
    ...(file === undefined || file === holder ? {} : { file }),
    path,
    line: range.start.line,
    column: range.start.column,
    end_line: range.end.line,
    end_column: range.end.column,
  }
}
