/** All that a line of the Mermaid text can be. What an author wrote is between the quotes alone. */
export const mermaidLine: RegExp =
  /^(flowchart TB|\s+(n\d+(\["[^"]*"\]|\{\{"[^"]*"\}\}|\(\["[^"]*"\]\))|subgraph n\d+\["[^"]*"\]|end|direction TB|n\d+ (-->|~~~|-\. failed \.->) n\d+|classDef \w+ [\w:#,. -]+|class [\w,]+ \w+)|)$/
