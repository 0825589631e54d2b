import type { VNode } from 'preact'
import type { JsonValue } from '../../../../core/json.ts'
import type { ArtifactRecord } from '../../../../core/record/index.ts'
import type { ShownRun } from '../../page-state.ts'
import { LongText } from '../../parts/long-text.tsx'
import { FileTable } from './file-table.tsx'
import { QuestionList } from './question-list.tsx'

/** What went in, what came out, and who said what. */
export function DataTab({
  run,
  files = run.artifacts ?? [],
}: {
  readonly run: ShownRun
  readonly files?: readonly ArtifactRecord[] | undefined
}): VNode {
  return (
    <section class="data" aria-label="Data">
      <Values title="Inputs" value={run.inputs} none="The run has no inputs." />
      <Values title="Outputs" value={run.outputs} none="There are no outputs yet." />
      <Files runId={run.run_id} files={files} />
      <section>
        <h2>Questions</h2>
        {run.questions?.length ? (
          <QuestionList questions={run.questions} />
        ) : (
          <p class="dim">The run has asked nothing.</p>
        )}
      </section>
    </section>
  )
}

function Files({
  runId,
  files,
}: {
  readonly runId: string
  readonly files: readonly ArtifactRecord[]
}): VNode {
  return (
    <section>
      <h2>Files</h2>
      {files.length === 0 ? (
        <p class="dim">The run has made no file.</p>
      ) : (
        <FileTable runId={runId} files={files} />
      )}
    </section>
  )
}

function Values({
  title,
  value,
  none,
}: {
  readonly title: string
  readonly value: JsonValue | undefined
  readonly none: string
}): VNode {
  const isNone =
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  return (
    <section>
      <h2>{title}</h2>
      {isNone ? <p class="dim">{none}</p> : <LongText>{JSON.stringify(value, null, 2)}</LongText>}
    </section>
  )
}
