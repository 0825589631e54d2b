import type {
  FailureGroup,
  ItemInFlight,
  ItemPage,
  ItemRow,
  LoopFacts,
  NodeWait,
  PastWait,
  RunView,
  ShownError,
  StepNode,
} from '../view/run/index.ts'
import {
  count,
  list,
  map,
  number,
  oneWord,
  partly,
  record,
  type Schema,
  text,
  time,
  yes,
} from './describe.ts'
import { turn } from './facts.ts'

const shownError: Schema<ShownError> = record<ShownError>({
  code: partly(text),
  message: text,
  'path?': text,
})

export const wait: Schema<NodeWait> = record<NodeWait>({
  path: text,
  reason: partly(text),
  since: time,
  'until?': time,
  'message?': text,
  'counted?': text,
  'after?': shownError,
})

export const loop: Schema<LoopFacts> = record<LoopFacts>({
  unit: oneWord('items', 'turns'),
  total: count,
  done: count,
  failed: count,
  in_flight: count,
  'interrupted?': count,
  waiting: count,
  left: count,
  'per_minute?': number,
  'expected_end?': time,
  'limited_by?': partly(text),
  'limit?': record<NonNullable<LoopFacts['limit']>>({
    action: text,
    calls: count,
    per: oneWord('second', 'minute', 'day'),
  }),
  oldest: list(
    record<ItemInFlight>({
      index: count,
      path: text,
      'item?': text,
      since: time,
      'at?': text,
      'wait?': wait,
    }),
  ),
  failures: list(record<FailureGroup>({ code: text, message: text, count, first: count })),
  'other_failures?': count,
  'durations?': record<NonNullable<LoopFacts['durations']>>({ bounds_ms: list(number), counts: list(count) }),
  'time?': record<NonNullable<LoopFacts['time']>>({
    since: time,
    bucket_ms: count,
    in_flight_ms: count,
    waited_ms: partly(map(count)),
    shares: partly(map(list(count))),
  }),
  cells: text,
})

export const node: Schema<StepNode> = record<StepNode>({
  path: text,
  'parent?': text,
  position: count,
  id: text,
  kind: oneWord('call', 'block', 'parallel', 'choose', 'runbook', 'item'),
  'name?': text,
  'action?': text,
  'item?': text,
  status: partly(text),
  'started_at?': time,
  'ended_at?': time,
  'attempts?': count,
  'waits?': list(wait),
  'more_waits?': count,
  'past_waits?': list(record<PastWait>({ reason: partly(text), since: time, until: time })),
  'waited_ms?': partly(map(number)),
  'error?': shownError,
  'is_warning?': yes,
  'caught?': shownError,
  'branch?': count,
  'condition?': text,
  'failed_items?': record<NonNullable<StepNode['failed_items']>>({ total: count, failed: count }),
  'groups?': record<NonNullable<StepNode['groups']>>({ total: count, done: count, failed: count }),
  'loop?': loop,
})

export const view: Schema<RunView> = record<RunView>(
  {
    run_id: text,
    seq: count,
    'is_whole?': yes,
    head: record<RunView['head']>({
      runbook: text,
      'title?': text,
      status: partly(text),
      'started_at?': time,
      'ended_at?': time,
      'last_at?': time,
      begins: count,
      'turn?': turn,
      'error?': shownError,
      steps: record<RunView['head']['steps']>({ total: count, ended: count, failed: count }),
    }),
    nodes: list(node),
  },
  'What a screen shows of a run. A later one, without `is_whole`, holds the nodes that have changed.',
)

export const item: Schema<ItemRow> = record<ItemRow>({
  index: count,
  path: text,
  'item?': text,
  status: partly(text),
  'started_at?': time,
  'ended_at?': time,
  'error?': shownError,
  'at?': text,
  'wait?': wait,
})

export const items: Schema<ItemPage> = record<ItemPage>({ items: list(item), 'next?': count })
