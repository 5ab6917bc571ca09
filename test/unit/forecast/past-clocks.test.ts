import { expect, it } from "vitest";
import { renderText } from "../../../src/forecast/render-text";
import { forecastOf, scheduleOf } from "../../helpers/forecast-team";

it("a schedule that was deployed before the clocks changed is named with the change that is past", () => {
	const berlin = { declared: "0 3 * * *", timeZone: "Europe/Berlin", cron: "0 1 * * *" };
	const text = renderText(forecastOf([scheduleOf("old", berlin)]), { color: false });
	expect(text).toMatch(/Changes of clocks \(1\)[\s\S]*old.*\(past\)/);
});
