import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { openPartialFile } from '../api/session-record/index.ts'
import { refuseProblems } from '../api/validation/index.ts'
import { type InputProblem, usualTimeoutMs } from '../core/action.ts'
import type { JsonValue } from '../core/json.ts'
import { RunbookError } from '../core/run-error.ts'
import { closed, integer, string } from '../core/write-schema.ts'
import type { Action, Artifacts } from './action.ts'

/** `core/write`: a text, or any value as JSON, as an artifact of the run. */
export const writeAction: Action = {
  name: 'core/write',
  summary: 'Write a text, or any value as JSON, to a file of the run',
  safety: 'idempotent',
  isLocal: true,
  usesNoConnection: true,
  savesFile: 'always',
  defaultTimeoutMs: usualTimeoutMs,
  errors: ['FileNotWritten'],
  input: closed(['content'], {
    content: { description: 'A text is written unchanged, anything else as JSON.' },
  }),
  output: {
    type: 'object',
    required: ['path', 'bytes', 'sha256'],
    properties: {
      path: string('The file, relative to the artifacts of the run.'),
      bytes: integer('Its size.'),
      sha256: string('Of the file, in hex.'),
    },
  },
  checkInput: ({ content }) => contentProblems(content),
  async run({ content }, { artifacts, saveAs }) {
    refuseProblems('core/write', contentProblems(content))
    if (saveAs === undefined)
      throw new RunbookError('InvalidInput', 'core/write needs save-as: the file to write', { notSent: true })
    return { output: { ...(await writeArtifact(artifacts, saveAs, content ?? null)) } }
  },
}

function contentProblems(content: JsonValue | undefined): readonly InputProblem[] {
  return content === undefined ? [{ path: 'content', message: 'is required' }] : []
}

/** A file that a run has made, as its outputs describe it. */
export interface WrittenArtifact {
  /** Relative to the artifacts of the run. */
  readonly path: string
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
}

/** Writes a file of the run: a text as it is, anything else as JSON. The file is there when it is whole. */
export async function writeArtifact(
  artifacts: Artifacts,
  name: string,
  content: JsonValue,
): Promise<WrittenArtifact> {
  const file = await artifacts.fileFor(name)
  const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`
  const bytes = Buffer.from(text)
  await replaceFile(file, bytes)
  return {
    path: relative(artifacts.folder, file),
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
}

/** The file has the old content or the new one, whenever the process ends. */
async function replaceFile(target: string, bytes: Buffer): Promise<void> {
  const file = await openPartialFile(target)
  try {
    await file.append(bytes)
    await file.complete()
  } catch (error) {
    await file.discard()
    throw error
  }
}
