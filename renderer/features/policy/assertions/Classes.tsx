/** What a config can tell apart: the contexts over which assertions are proved. */

import { useT } from "../../../i18n/index.ts";
import type { AssertionCheck } from "./useAssertions.ts";

export function Classes({ classes, contexts }: { classes: AssertionCheck["classes"]; contexts: number }) {
  const t = useT("policy");
  return (
    <details className="policy-classes">
      <summary>{t("assertions.classes", { count: contexts })}</summary>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t("assertions.dimension")}</th>
            <th scope="col">{t("assertions.values")}</th>
          </tr>
        </thead>
        <tbody>
          {classes.map(({ dimension, values }) => (
            <tr key={dimension}>
              <th scope="row">{t(`assertions.dimensions.${dimension}`)}</th>
              <td>
                {values.map((value) => (
                  <code key={value} className="policy-class-value">
                    {value}
                  </code>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
