import type { VNode } from 'preact'
import type { ArtifactRecord } from '../../../../core/record/index.ts'
import { sizeText } from '../../../../view/text/index.ts'
import { Table } from '../../parts/table.tsx'
import { stepHref } from '../step/step-href.ts'

/** The files that steps have made. */
export function FileTable({
  runId,
  files,
}: {
  readonly runId: string
  readonly files: readonly ArtifactRecord[]
}): VNode {
  return (
    <Table kind="rows dense" columns={['File', 'Made by', { figure: 'Size' }]}>
      {files.map(({ file, path, bytes }) => (
        <tr key={file}>
          <td class="wide">
            {bytes === undefined ? (
              file
            ) : (
              <a href={`/api/v1/runs/${runId}/files/${encodeURIComponent(file)}`} download>
                {file}
              </a>
            )}
          </td>
          <td class="path">
            <a href={stepHref(runId, path)}>{path}</a>
          </td>
          <td class="figure">{bytes === undefined ? 'not there' : sizeText(bytes)}</td>
        </tr>
      ))}
    </Table>
  )
}
