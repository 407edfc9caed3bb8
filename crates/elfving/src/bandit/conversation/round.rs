//! One plan and its slots.

use super::*;

impl Round {
    pub(super) fn begin(plan: Plan, order: Option<Vec<usize>>, first: usize) -> Result<Self, String> {
        let planned = plan.measurements.points();
        let count = planned.len();
        let points = match &order {
            None => planned,
            Some(order) if is_permutation(order, count) => order.iter().map(|&k| planned[k]).collect(),
            Some(_) => return Err("the run order is not one of the plan".to_owned()),
        };
        let slots =
            vec![SlotRecord { state: SlotState::Open, worker: None, failures: 0, batch: 0, seat: 0 }; count];
        Ok(Self { plan, points, order, first, handed_out: 0, slots, missing: count, closed: false })
    }

    /// What was planned.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The point of each slot, in run order.
    pub fn points(&self) -> &[PointId] {
        &self.points
    }

    /// The number of its first slot.
    pub fn first(&self) -> usize {
        self.first
    }

    /// How many of its slots were handed out.
    pub fn handed_out(&self) -> usize {
        self.handed_out
    }

    /// Its slots, in run order.
    pub fn slots(&self) -> &[SlotRecord] {
        &self.slots
    }

    /// Slots without an outcome, handed out or not.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// Whether it was decided as a whole.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The reading of each measurement in the order of the plan.
    pub fn readings(&self) -> Vec<Option<&Reading>> {
        let mut readings = vec![None; self.slots.len()];
        for (place, slot) in self.slots.iter().enumerate() {
            if let SlotState::Told(reading) = &slot.state {
                readings[self.measurement(place)] = Some(reading);
            }
        }
        readings
    }

    /// Which measurement of the plan a slot is.
    pub fn measurement(&self, place: usize) -> usize {
        self.order.as_ref().map_or(place, |order| order[place])
    }
}

fn is_permutation(order: &[usize], count: usize) -> bool {
    let mut seen = vec![false; count];
    order.len() == count
        && order.iter().all(|&k| seen.get_mut(k).is_some_and(|seen| !std::mem::replace(seen, true)))
}
