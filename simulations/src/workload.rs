//! What buyers do while something is done to the server: a crowd of shoppers, each a task that
//! visits the box office again and again, with choices drawn from the seed.

pub mod purchase;
mod shopper;
pub(crate) mod wish;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::DrillError;
use crate::box_office::OnSale;
use crate::client::{Site, Tokens};

use shopper::Shopper;

/// A running crowd. Dropping it ends every shopper where they stand.
#[derive(Debug)]
pub struct Workload {
    shoppers: JoinSet<Result<(), DrillError>>,
    closing: CancellationToken,
}

impl Workload {
    /// Lets so many shoppers in. Each draws from its own stream of the seed.
    #[must_use]
    pub fn begin(site: &Site, tokens: &Tokens, on_sale: &OnSale, seed: u64, crowd: u32) -> Self {
        let closing = CancellationToken::new();
        let mut shoppers = JoinSet::new();
        for number in 0..crowd {
            let shopper = Shopper::new(site.clone(), tokens.clone(), on_sale.clone(), seed, number);
            shoppers.spawn(shopper.shop_until(closing.clone()));
        }
        Self { shoppers, closing }
    }

    /// Lets every shopper finish the visit, unanswered requests included.
    ///
    /// # Errors
    /// [`DrillError::Broken`] with the first request that was never settled.
    pub async fn finish(mut self) -> Result<(), DrillError> {
        self.closing.cancel();
        while let Some(ended) = self.shoppers.join_next().await {
            match ended {
                Ok(shopped) => shopped?,
                Err(error) => return Err(DrillError::Broken(format!("a shopper: {error}"))),
            }
        }
        Ok(())
    }
}
